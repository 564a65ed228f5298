// An agent that cannot be opened, whatever fails and however late, leaves nothing of itself: the session can be opened at once.
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { AgentOptions } from "../../src/mod.ts";
import { type Agent, createAgent } from "../../src/mod.ts";
import { allSettled, disposeAll } from "../../src/core/support/close_all.ts";
import { childrenOfThread, numbersIn, readProcLink, statOf } from "../../src/sandbox/system/procfs.ts";
import { cassette, inWorkspace } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";

/** What this process has open and has started, and what is in the directories for locks and temporary files. */
function resources(folders: readonly string[]): { readonly files: string[]; readonly processes: number[] } {
  const files = folders.flatMap((folder) => [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`));
  const open = numbersIn("/proc/self/fd").flatMap((descriptor) => readProcLink(`/proc/self/fd/${descriptor}`) ?? [])
    .filter((path) => folders.some((folder) => path.startsWith(folder)));
  const processes = numbersIn("/proc/self/task").flatMap((thread) => childrenOfThread(Deno.pid, thread) ?? [])
    .filter((pid) => statOf(pid)?.zombie === false);
  return { files: [...files, ...open].sort(), processes: processes.sort() };
}

interface Failure {
  readonly name: string;
  /** The options that fail. */
  readonly options: () => AgentOptions;
  readonly message: RegExp;
}

const FAILURES: readonly Failure[] = [
  {
    name: "a scope that is not valid",
    options: () => ({ permissions: { net: ["http://x/y"] } }),
    message: /net/,
  },
  {
    name: "a scope that is not valid, in a trial",
    options: () => ({ trial: true, permissions: { net: ["http://x/y"] } }),
    message: /net/,
  },
  { name: "a tool that does not exist", options: () => ({ tools: ["no_such_tool"] }), message: /no_such_tool/ },
  {
    name: "a tool that does not exist, in a trial and beside a server that dies at once",
    options: () => ({
      ...{ trial: true, tools: ["no_such_tool"] },
      settings: { mcpServers: { dies: { command: "/bin/sh", args: ["-c", "exit 3"] } } },
    }),
    message: /no_such_tool/,
  },
  {
    name: "an answer's schema that is not one",
    options: () => ({ answerSchema: { type: "no such type" } }),
    message: /schema/i,
  },
  {
    name: "an answer's schema that is not one, in a trial",
    options: () => ({ trial: true, answerSchema: { type: "no such type" } }),
    message: /schema/i,
  },
  { name: "a model that nobody has", options: () => ({ model: "nobody/nothing" }), message: /nobody/ },
  {
    name: "a skill that does not exist",
    options: () => ({ settings: { skills: ["/nowhere/SKILL.md"] } }),
    message: /skill/i,
  },
];

for (const { name, options, message } of FAILURES) {
  Deno.test(`createAgent() that fails because of ${name} leaves no lock, file or process, and the session opens at once`, async () => {
    await inWorkspace({ "a.txt": "alpha" }, async ({ ws, home, outside }) => {
      const [sessionDir, tmp] = [`${outside}/sessions`, `${outside}/tmp`];
      for (const folder of [sessionDir, tmp]) Deno.mkdirSync(folder);
      const base: AgentOptions = {
        ...{ cwd: ws, sessionDir },
        model: `replay:${cassette(home, [{ text: "hi" }, { text: "again" }])}`,
        env: { HOME: home, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", TMPDIR: tmp },
      };
      let id = "";
      {
        await using agent = await createAgent({ ...base, session: "file" });
        await agent.answer("hello");
        id = agent.state().sessionId;
      }
      const places = [sessionDir, tmp, ws];
      const before = resources(places);
      const session = { resume: id };
      const error = await assertRejects(() => createAgent({ ...base, session, ...options() }), Error);
      assert(message.test(error.message), error.message);
      await until(() => {
        const { processes } = resources(places);
        return processes.every((pid) => before.processes.includes(pid));
      });
      assertEquals(resources(places).files, before.files);
      await using agent: Agent = await createAgent({ ...base, session });
      assertEquals(agent.state().sessionId, id);
      assertEquals(agent.messages().length, 2);
    });
  });
}

Deno.test("disposeAll() disposes every resource in reverse order, whichever fails, and rejects with the first failure", async () => {
  const done: string[] = [];
  const resources = new AsyncDisposableStack();
  for (const name of ["a", "b", "c", "d"]) {
    resources.defer(() => {
      done.push(name);
      return name === "b" || name === "c" ? Promise.reject(new Error(name)) : Promise.resolve();
    });
  }
  await assertRejects(() => disposeAll(resources), Error, "c");
  assertEquals(done, ["d", "c", "b", "a"]);
  await disposeAll(resources);
  assertEquals(done.length, 4);
});

Deno.test("allSettled() waits for all, and rejects with the first failure of the list", async () => {
  let isDone = false;
  const late = Promise.resolve().then(() => Promise.resolve()).then(() => void (isDone = true));
  const failed = [Promise.reject(new Error("one")), late, undefined, Promise.reject(new Error("two"))];
  await assertRejects(() => allSettled(failed), Error, "one");
  assertEquals(isDone, true);
  await allSettled([undefined, Promise.resolve()]);
});
