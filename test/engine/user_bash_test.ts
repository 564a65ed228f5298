import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { UNCONFINED_NOTICE } from "../../src/engine/features.ts";
import { serveGated } from "../helpers/gated_server.ts";
import { textReply } from "../helpers/server.ts";
import { until } from "../helpers/until.ts";
import { processesWith } from "../sandbox/shell_fixture.ts";
import { brought } from "./brought.ts";
import { type Session, type SessionOptions, withSession } from "./world.ts";

const UNCONFINED = { settings: { userBash: "unconfined" } };

/** A command that writes a mark and waits; the mark is this test's alone. */
function waiting(): { readonly mark: string; readonly command: string } {
  const mark = `sp-typed-${crypto.randomUUID()}`;
  return { mark, command: `: ${mark}; echo begun; sleep 61; echo never` };
}

/** A session whose model says nothing until the gate is opened. */
async function withGate(
  options: Partial<SessionOptions>,
  work: (session: Session, open: () => void) => Promise<void>,
): Promise<void> {
  await using server = serveGated([[{ gate: "go" }, ...textReply("a long reply")]]);
  const args = ["-m", "wire", "--base-url", server.baseUrl];
  await withSession({ replies: [{ text: "" }], args, ...options }, (session) => work(session, () => server.open("go")));
}

const begun = ({ events }: Session): boolean => events.some(({ type }) => type === "bash_execution_update");

for (const scope of [{}, UNCONFINED]) {
  const where = "settings" in scope ? ", without a scope" : "";
  Deno.test(`abortBash() ends a typed command while the run goes on${where} R205`, () =>
    withGate(scope, async (session, open) => {
      const { engine, say } = session;
      const run = say("go");
      await until(() => engine.state().isStreaming);
      const { mark, command } = waiting();
      const typed = engine.bash(command, false);
      await until(() => begun(session));
      await engine.abortBash();
      const { output, cancelled } = await typed;
      assertEquals([cancelled, engine.state().isStreaming], [true, true]);
      assertStringIncludes(output, "begun");
      await until(() => processesWith(mark).length === 0);
      open();
      assertEquals(await run, "a long reply");
      assertEquals(engine.messages().map(({ role }) => role), ["user", "assistant", "bashExecution"]);
    }));
}

Deno.test("abort() ends the run and what was typed, and close() leaves no command", async () => {
  const { mark, command } = waiting();
  await withGate({}, async (session) => {
    const { engine, say } = session;
    const run = say("go");
    await until(() => engine.state().isStreaming);
    const typed = engine.bash(command, true);
    await until(() => begun(session));
    await engine.abort();
    assertEquals([(await typed).cancelled, engine.state().isStreaming], [true, false]);
    await run;
    void engine.bash(command, true).catch(() => {});
    await until(() => processesWith(mark).length > 0);
  });
  assertEquals(processesWith(mark), []);
});

for (const scope of [{}, UNCONFINED]) {
  const where = "settings" in scope ? ", without a scope" : "";
  Deno.test(`bash() gives what a command printed, how it ended and whether it was cut apart from each other${where} R205`, () =>
    withSession({ replies: [{ text: "" }], ...scope }, async ({ engine }) => {
      const outcome = { cancelled: false, truncated: false };
      const code = "Command exited with code 3";
      const failing = await engine.bash(`printf '${code}\\n\\n${code}'; exit 3`, false);
      assertEquals(failing, { output: `${code}\n\n${code}`, exitCode: 3, ...outcome });
      assertEquals(await engine.bash("true", false), { output: "", exitCode: 0, ...outcome });
      const { output, truncated, fullOutputPath = "" } = await engine.bash("seq 5000", false);
      assertEquals([truncated, Deno.readTextFileSync(fullOutputPath).split("\n").length], [true, 5001]);
      assertStringIncludes(output, fullOutputPath);
    }));
}

Deno.test("abortBash() ends the first typed command of a session, whose code is still being loaded", async () => {
  const { mark, command } = waiting();
  await withSession({ replies: [] }, async ({ engine }) => {
    const typed = engine.bash(command, true);
    await engine.abortBash();
    assertEquals([(await typed).cancelled, processesWith(mark)], [true, []]);
  });
});

Deno.test("abortBash() without a command does nothing, to a run neither", () =>
  withSession({ replies: [{ text: "one", delayMs: 200 }] }, async ({ engine, say }) => {
    const run = say("go");
    await engine.abortBash();
    assertEquals(await run, "one");
  }));

Deno.test("what was typed while an input hook took a prompt is in the conversation afterwards", () => {
  const handled = Promise.withResolvers<void>();
  return withSession({
    replies: [],
    ...brought((sp) =>
      sp.on("input", async () => {
        await handled.promise;
        return { action: "handled" };
      })
    ),
  }, async ({ engine }) => {
    const prompt = engine.prompt({ text: "mine", source: "interactive" });
    await until(() => engine.state().isStreaming);
    await engine.bash("true", false);
    handled.resolve();
    assertEquals(await prompt, { kind: "handled" });
    assertEquals(engine.messages().map(({ role }) => role), ["bashExecution"]);
  });
});

const READ_OUTSIDE = "cat ../outside.txt; echo more >> ../outside.txt; echo $TYPED_SECRET-$OPENAI_API_KEY-";

async function outside(
  options: Partial<Parameters<typeof withSession>[0]>,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly output: string; readonly left: string; readonly notices: readonly string[] }> {
  const told = { output: "", left: "", notices: [] as readonly string[] };
  await withSession({ replies: [{ text: "" }], env, ...options }, async ({ engine, ws }) => {
    Deno.writeTextFileSync(`${ws}/../outside.txt`, "OUTSIDE\n");
    told.notices = engine.notices;
    told.output = (await engine.bash(READ_OUTSIDE, false)).output;
    told.left = Deno.readTextFileSync(`${ws}/../outside.txt`);
  });
  return told;
}

Deno.test('userBash "unconfined" of the user lets a typed command do what the person may, but for the key', async () => {
  const env = { TYPED_SECRET: "mine", OPENAI_API_KEY: "sk-0123456789" };
  const confined = await outside({}, env);
  assert(!confined.output.includes("OUTSIDE") && !confined.output.includes("mine"), confined.output);
  assertEquals([confined.left, confined.notices], ["OUTSIDE\n", []]);
  for (const args of [[], ["--no-tools"], ["--read-only"]]) {
    const told = await outside({ ...UNCONFINED, args }, env);
    assertEquals(told.output.trim(), "OUTSIDE\nmine--");
    assertEquals(told.left, "OUTSIDE\nmore\n");
    assertEquals(told.notices, [UNCONFINED_NOTICE]);
  }
});

Deno.test('userBash "unconfined" gives the model and the extensions nothing', () =>
  withSession({
    ...UNCONFINED,
    replies: [{ calls: [{ name: "bash", args: { command: "cat ../outside.txt" } }] }, { text: "done" }],
    ...brought((sp) =>
      sp.registerCommand("look", {
        handler: async (_, ctx) => {
          const { stdout, stderr } = await ctx.exec("cat", ["../outside.txt"]);
          await ctx.ui.notify(stdout + stderr, "warning");
        },
      })
    ),
  }, async ({ engine, ws, say, events }) => {
    Deno.writeTextFileSync(`${ws}/../outside.txt`, "OUTSIDE\n");
    await engine.bash("true", false);
    await say("go");
    await engine.prompt({ text: "/look", source: "interactive" });
    assert(!JSON.stringify([engine.messages(), events]).includes("OUTSIDE\\n"));
  }));

Deno.test('userBash "unconfined" of a project counts for nothing', async () => {
  const files = { ".sandpiper/settings.json": JSON.stringify({ userBash: "unconfined" }) };
  const { output, left, notices } = await outside({ files, args: ["--trust"] });
  assert(!output.includes("OUTSIDE"), output);
  assertEquals(left, "OUTSIDE\n");
  assertEquals(notices.length, 1);
  assertStringIncludes(notices[0] ?? "", '"userBash" is only taken from the user\'s own settings');
});
