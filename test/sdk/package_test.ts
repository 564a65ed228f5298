import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import ts from "typescript";
import type { AgentEvent } from "../../src/mod.ts";
import { createAgent, type SdkOptions, UserError } from "../../npm/sdk/mod.ts";
import { sdkPackage, writePackage } from "../../scripts/npm/sdk.ts";
import { ROOT } from "../docs/embedding.ts";
import { serveGated } from "../helpers/gated_server.ts";
import { cassette, environment, inWorkspace, SOURCE } from "../helpers/program.ts";
import { textReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";

/** A program of a few words of shell in sandpiper's place. */
const shell = (script: string): readonly string[] => ["/bin/sh", "-c", script, "sh"];

const OTHERS: readonly {
  readonly name: string;
  readonly binary: string | readonly string[];
  readonly says: readonly string[];
}[] = [
  {
    name: "a binary that is not there",
    binary: "/nonexistent/sandpiper",
    says: ["no program", "npm install sandpiper"],
  },
  { name: "a file that is no program", binary: "/etc/passwd", says: ["was not started", "EACCES"] },
  {
    name: "an older binary, which does not know the word",
    binary: shell("echo 'error: Unknown option --internal-sdk' >&2; exit 2"),
    says: ["ended before it opened a session: exit code 2", "Unknown option", "this package's version"],
  },
  {
    name: "a binary of another protocol",
    binary: shell(`echo '{"type":"opened","protocol":9,"version":"9.9.9"}'; exec cat > /dev/null`),
    says: ["do not fit together", "9.9.9", "same version"],
  },
  {
    name: "a program that says something else",
    binary: shell("echo hello; exec sleep 60"),
    says: ['it wrote "hello"'],
  },
  { name: "one that a signal ends", binary: shell("kill -9 $$"), says: ["SIGKILL"] },
];
for (const { name, binary, says } of OTHERS) {
  Deno.test(`@sandpiper/sdk: createAgent() refuses ${name} with what to do`, async () => {
    const error = await assertRejects(() => createAgent({ binary }), UserError);
    for (const text of says) assertStringIncludes(`${error.what}: ${error.why}. ${error.fix}`, text);
  });
}

/** The program from source, which writes its process id into a file before it starts. */
function started(home: string): { readonly options: SdkOptions; readonly pid: () => number } {
  const file = `${home}/pid`;
  const binary = [...shell(`echo $$ > '${file}'; exec "$@"`), ...SOURCE.command];
  return {
    options: { binary, env: environment({ HOME: home }) },
    pid: () => Number(Deno.readTextFileSync(file)),
  };
}

const isThere = (pid: number): boolean => {
  try {
    Deno.statSync(`/proc/${pid}`);
    return true;
  } catch {
    return false;
  }
};

Deno.test({
  name:
    "@sandpiper/sdk: the key is in no argument and no environment; walking away stops the run, and close() leaves no process",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    inWorkspace({}, async ({ ws, home }) => {
      const waits = [...textReply("Wait.").slice(0, 1), { gate: "never" }];
      await using server = serveGated([waits, textReply("On.")]);
      const { options, pid } = started(home);
      const apiKey = `sk-${crypto.randomUUID()}`;
      const agent = await createAgent({ ...options, cwd: ws, model: "any", baseUrl: server.baseUrl, apiKey });
      const program = pid();
      for await (const { type } of agent.run("go")) {
        if (type === "message_update") break;
      }
      assertEquals(agent.state().isStreaming, false);
      await until(() => server.left() === 1);
      const read = (name: string): string => {
        const { stdout } = new Deno.Command("cat", { args: [`/proc/${program}/${name}`] }).outputSync();
        return new TextDecoder().decode(stdout);
      };
      const cmdline = read("cmdline");
      assertEquals([read("environ").includes(apiKey), cmdline.includes(apiKey)], [false, false]);
      assert(cmdline.endsWith("--internal-sdk\0"));
      assertEquals(await agent.answer("again"), "On.");
      // What is set is seen at once, and what the program does not take is told.
      const notices: AgentEvent[] = [];
      agent.subscribe((event) => void (event.type === "notice" && notices.push(event)));
      agent.setThinking("low");
      assertEquals(agent.state().thinking, "low");
      agent.setLabel("nowhere", "x");
      await until(() => notices.length > 0);
      assertStringIncludes(JSON.stringify(notices), "nowhere");
      assertEquals(agent.state().thinking, "low");
      await Promise.all([agent.close(), agent.close()]);
      assertEquals(isThere(program), false);
      const late = await assertRejects(() => agent.answer("late"), UserError);
      assertEquals(late.why, "the session is closed");
    }),
});

Deno.test("@sandpiper/sdk: a program that dies in the middle fails what waits for it, and close() still comes back", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await using server = serveGated([[...textReply("Wait.").slice(0, 1), { gate: "never" }]]);
    const { options, pid } = started(home);
    const agent = await createAgent({ ...options, cwd: ws, model: "any", baseUrl: server.baseUrl, apiKey: "k" });
    const events = agent.run("go");
    let type = "";
    while (type !== "message_update") type = ((await events.next()).value as AgentEvent).type;
    const bill = agent.waitForIdle();
    const next = (async () => {
      for await (const _ of events);
    })();
    Deno.kill(pid(), "SIGKILL");
    const failed = [await assertRejects(() => next, UserError), await assertRejects(() => bill, UserError)];
    for (const error of failed) {
      assertEquals([error.what, error.exitCode], ["sandpiper ended while the session was open", 1]);
      assertStringIncludes(error.why, "SIGKILL");
    }
    assertEquals((await assertRejects(() => agent.answer("x"), UserError)).why, failed[0]?.why);
    await agent.close();
  });
});

Deno.test("@sandpiper/sdk: a program that reads slowly, and whose thread stands still for a while, gets every event in order", async () => {
  const [length, times] = [64 * 1024, 4];
  await inWorkspace({}, async ({ ws, home }) => {
    const texts = Array.from({ length: times }, (_, at) => String.fromCharCode(97 + at).repeat(length));
    const model = `replay:${cassette(home, texts.map((text) => ({ text })))}`;
    const options = { ...started(home).options, cwd: ws, model, contextWindow: 10_000_000 };
    const agent = await createAgent(options);
    const said: string[] = [];
    const types: string[] = [];
    for (let at = 0; at < times; at++) {
      for await (const event of agent.run("go")) {
        types.push(event.type);
        // The pipe is full long before this is over.
        if (event.type === "agent_start") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
        if (event.type === "message_end" && event.message.role === "assistant") {
          said.push(JSON.stringify(event.message));
        }
        if (types.length % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }
    assertEquals(said.map((text, at) => text.includes(texts[at] ?? "")), Array(times).fill(true));
    assertEquals(types.filter((type) => type === "agent_settled").length, times);
    assertEquals([agent.messages().length, agent.store().pathTo().length > 2 * times], [2 * times, true]);
    await agent.close();
  });
});

Deno.test("@sandpiper/sdk: the package is the same bytes each time, names no other one, and its types are those of the embedded SDK", async () => {
  const made = await sdkPackage(ROOT);
  assertEquals(JSON.stringify(await sdkPackage(ROOT)), JSON.stringify(made));
  assertEquals(Object.keys(made.manifest).filter((key) => /^(?:d|optionalD)ependencies$/.test(key)), []);
  await inWorkspace({}, async ({ ws }) => {
    await writePackage(made, `${ws}/node_modules/@sandpiper/sdk`);
    const code = Deno.readTextFileSync(`${ws}/node_modules/@sandpiper/sdk/mod.js`);
    assertEquals([...code.matchAll(/\bfrom "([^"]+)"/g)].map(([, name]) => name).sort(), [
      "node:child_process",
      "node:module",
      "node:path",
      "node:process",
      "node:process",
    ]);
    const source = (path: string): string => JSON.stringify(`${ROOT}/src/${path}`);
    // An interface has methods, which are compared in one direction only when they are assigned: both ways are asked for.
    const program = `
      import type * as Package from "@sandpiper/sdk";
      import type { Agent, Said } from ${source("cli/sdk/agent_api.ts")};
      import type { AgentOptions } from ${source("cli/sdk/options.ts")};
      import type { AgentEvent } from ${source("core/event.ts")};
      import type { ExtensionApi } from ${source("hooks/api/api.ts")};
      type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
      export const same: readonly [true, true, true, true, true, true] = [
        null as unknown as Same<Package.Agent, Package.Agent> & Same<keyof Package.Agent, keyof Agent>,
        null as unknown as Same<keyof Package.AgentOptions, keyof AgentOptions>,
        null as unknown as Same<Package.AgentEvent["type"], AgentEvent["type"]>,
        null as unknown as Same<keyof Package.ExtensionApi, keyof ExtensionApi>,
        null as unknown as Same<Package.Said, Said>,
        null as unknown as Same<Exclude<keyof Package.SdkOptions, "binary">, keyof AgentOptions>,
      ];
      export function both(a: Agent, b: Package.Agent, c: AgentOptions, d: Package.AgentOptions): unknown {
        const [w, x, y, z]: [Package.Agent, Agent, Package.AgentOptions, AgentOptions] = [a, b, c, d];
        const open: (options?: AgentOptions) => Promise<Agent> = null as unknown as typeof Package.createAgent;
        return [w, x, y, z, open];
      }`;
    Deno.writeTextFileSync(`${ws}/program.mts`, program);
    assertEquals(typeErrors(`${ws}/program.mts`), []);
    Deno.writeTextFileSync(`${ws}/program.mts`, program.replace("a: Agent", "a: Omit<Agent, 'bill'>"));
    assertEquals(typeErrors(`${ws}/program.mts`).length, 1);
  });
});

/** What TypeScript says of a module and of the declarations that it reaches, without the types of any runtime. */
function typeErrors(path: string): readonly string[] {
  const program = ts.createProgram([path], {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts"],
    types: [],
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, allowImportingTsExtensions: true },
  });
  return program.getSourceFiles()
    .filter(({ fileName }) => fileName === path || fileName.includes("/node_modules/@sandpiper/sdk/"))
    .flatMap((file) => program.getSemanticDiagnostics(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
