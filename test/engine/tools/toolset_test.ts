import { assertEquals, assertRejects } from "@std/assert";
import type { ExtensionApi } from "../../../src/hooks/api/api.ts";
import { defineExtension } from "../../../src/hooks/api/api.ts";
import { type Session, type SessionOptions, withSession } from "../world.ts";

const DEFAULT = ["read", "bash", "edit", "write"];
const OF_SHELL = ["bash_output", "bash_stop"];
const ALL = [...DEFAULT, "grep", "find", "ls", "read_skill", ...OF_SHELL, "todo", "task"];

const known = ({ engine }: Session): readonly string[] => engine.tools().map(({ name }) => name);
const active = ({ engine }: Session): readonly string[] =>
  engine.tools().flatMap(({ name, active }) => active ? [name] : []);

/** Hands over the API of an extension in the session. */
function withApi(options: SessionOptions, work: (session: Session, sp: ExtensionApi) => Promise<void>): Promise<void> {
  let api: ExtensionApi | undefined;
  const factory = defineExtension((sp) => void (api = sp));
  return withSession({ ...options, extensions: [{ name: "own", factory }] }, async (session) => {
    if (api) return await work(session, api);
    throw new Error("the extension was not loaded");
  });
}

const CASES: readonly (SessionOptions & {
  readonly name: string;
  readonly known: readonly string[];
  readonly active: readonly string[];
})[] = [
  { name: "no choice", replies: [], known: ALL, active: DEFAULT },
  { name: "a setting", replies: [], settings: { tools: ["ls"] }, known: ALL, active: ["ls"] },
  { name: "--tools", replies: [], args: ["--tools", "ls,read"], known: ["read", "ls"], active: ["read", "ls"] },
  { name: "--no-tools R239", replies: [], args: ["--no-tools"], known: [], active: [] },
  {
    name: "--read-only R85",
    replies: [],
    args: ["--read-only"],
    // bash is an interpreter there, which starts no program.
    known: ["read", "bash", "grep", "find", "ls", "read_skill", "todo", "task"],
    active: ["read", "bash"],
  },
  {
    name: "a list of programs that nothing here can confine",
    replies: [],
    args: ["--sandbox", "permissions", "--allow-run=git"],
    settings: { tools: ["read"] },
    known: ALL.filter((name) => name !== "bash" && !OF_SHELL.includes(name)),
    active: ["read"],
  },
];

for (const { name, known: all, active: on, ...options } of CASES) {
  Deno.test(`with ${name} a session begins with its tools and can switch on what the policy permits`, () =>
    withApi(options, async (session, sp) => {
      assertEquals([known(session), active(session)], [all, on]);
      assertEquals((await sp.getAllTools()).map(({ name }) => name), all);
      await sp.setActiveTools(all);
      assertEquals(active(session), all);
    }));
}

Deno.test("a tool that was off at the start works when it was switched on, and is in prompt and request from then on R440", () =>
  withApi({
    replies: [
      { calls: [{ name: "grep", args: { pattern: "needle" } }] },
      { text: "off" },
      { calls: [{ name: "grep", args: { pattern: "needle" } }, { name: "bash", args: { command: "echo hi" } }] },
      { text: "on", expect: ["a.txt:1"] },
    ],
    files: { "a.txt": "a needle\n" },
  }, async ({ engine, say, events }, sp) => {
    assertEquals(await say("search"), "off");
    await sp.setActiveTools(["grep"]);
    assertEquals(await say("search"), "on");
    const names = events.flatMap((event) => event.type === "prompt_compiled" ? [event.manifest.tools.names] : []);
    assertEquals(names, [DEFAULT, DEFAULT, ["grep"], ["grep"]]);
    const failed = engine.messages().flatMap((one) => one.role === "toolResult" ? [one.isError] : []);
    assertEquals(failed, [true, false, true]);
  }));

Deno.test("bash works that was off at the start", () =>
  withApi({
    replies: [{ calls: [{ name: "bash", args: { command: "echo h$((1+1))" } }] }, { text: "ok", expect: ["h2"] }],
    settings: { tools: ["ls"] },
  }, async ({ say }, sp) => {
    await sp.setActiveTools(["bash"]);
    assertEquals(await say("go"), "ok");
  }));

Deno.test("setActiveTools() of an extension names what there is not, and changes nothing then R441", () =>
  withApi({ replies: [], args: ["--tools", "read,ls"] }, async (session, sp) => {
    const error = await assertRejects(() => sp.setActiveTools(["read", "grep", "nonsense"]), Error);
    assertEquals(error.message, 'this session has no tool "grep", "nonsense"; it has read, ls');
    assertEquals(active(session), ["read", "ls"]);
  }));

Deno.test("a grant makes another policy and leaves the tools as they were switched R454", () =>
  withSession({
    replies: [{ calls: [{ name: "read", args: { path: "../b.txt" } }] }, { text: "ok" }],
    args: ["--no-session"],
    ask: () => Promise.resolve("session"),
  }, async (session) => {
    Deno.writeTextFileSync(`${session.ws}/../b.txt`, "b");
    session.engine.setActiveTools(["read", "grep"]);
    assertEquals(await session.say("go"), "ok");
    assertEquals(
      session.engine.state().policy.read.list.some((path) => path.endsWith("/b.txt") || session.ws.startsWith(path)),
      true,
    );
    assertEquals([known(session), active(session)], [ALL, ["read", "grep"]]);
  }));

Deno.test("--no-tools leaves out the tools of extensions too, and nobody switches them on", () =>
  withApi({ replies: [], args: ["--no-tools"] }, async (session, sp) => {
    sp.registerTool({
      name: "own",
      description: "own",
      parameters: { type: "object", properties: {} },
      execute: () => "done",
    });
    assertEquals(known(session), []);
    await assertRejects(() => sp.setActiveTools(["own"]), Error, "own");
  }));
