// What can write has ended before the last scan of a session, in every mode: the journal has all that it changed, and undo
// restores it.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { withSession } from "../engine/world.ts";
import { needs } from "../helpers/needs.ts";
import { cassette, environment, inWorkspace, PROGRAM, run } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { createAgent } from "../sdk/which_sdk.ts";
import { acpClient, newSession, prompt } from "./acp_client.ts";
import { rpcClient } from "./rpc_client.ts";

/** A server that is a program and plants a file at a moment of its end. */
const server = (atEnd: string) => ({
  mcpServers: {
    w: {
      command: "bash",
      startMs: 60_000,
      args: [
        "-c",
        `answer() { echo '{"jsonrpc":"2.0","id":'"$id"','"$1"'}'; }
while IFS= read -r line; do
  id=$(sed -n 's/.*"id":\\([0-9]*\\).*/\\1/p' <<< "$line")
  case $line in
    *'"initialize"'*) answer '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"w","version":"1"}}' ;;
    *'"tools/list"'*) answer '"result":{"tools":[{"name":"start","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) ${atEnd.startsWith("&") ? `(${atEnd.slice(1)}) > /dev/null 2>&1 &` : ":"}
      answer '"result":{"content":[{"type":"text","text":"started"}]}' ;;
    *'"id"'*) answer '"error":{"code":-32601,"message":"no such method"}' ;;
  esac
done
${atEnd.startsWith("&") ? "exit" : atEnd}`,
      ],
    },
  },
});

/** A background command that changes a file until it is ended, and a call that waits for its first change. */
const BUSY = { name: "bash", args: { command: "while :; do echo evil >> busy; sleep .01; done", background: true } };
const STARTED = { name: "bash", args: { command: "until [ -e busy ]; do sleep .02; done" } };

/** Writers as calls of the model, with the settings that they need. */
const WRITERS: Readonly<Record<string, { readonly calls: readonly object[]; readonly settings: object }>> = {
  "a server when its input is closed": {
    calls: [{ name: "mcp__w__start", args: {} }],
    settings: server("echo evil > planted; rm kept"),
  },
  "a server when it is told to end": {
    calls: [{ name: "mcp__w__start", args: {} }],
    settings: server("trap 'echo evil > planted; exit' TERM; while :; do sleep .02; done"),
  },
  "a process that a server started": {
    calls: [{ name: "mcp__w__start", args: {} }],
    settings: server("&trap '' TERM HUP; while :; do echo evil > planted; rm -f planted; done"),
  },
  "a server that was not called": { calls: [], settings: server("echo evil >> kept") },
  "a background command when it is told to end": {
    calls: [{
      name: "bash",
      args: {
        command: "trap 'echo evil > planted; exit' TERM; echo > ready; while :; do sleep .02; done",
        background: true,
      },
    }, { name: "bash", args: { command: "until [ -e ready ]; do sleep .02; done" } }],
    settings: {},
  },
  "a background command until it is ended": { calls: [BUSY, STARTED], settings: {} },
  "a background command after the run": {
    calls: [{
      name: "bash",
      args: { command: "until [ -e over ]; do sleep .02; done; rm kept; rm over", background: true },
    }],
    settings: {},
  },
};

/** A call that changes something, so that there is something to undo. */
const CHANGE = { name: "bash", args: { command: "echo changed > changed" } };
const FILES = { kept: "mine\n", "d/e/f": "deep\n" };

const all = (ws: string): unknown => {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const { name, isDirectory } of Deno.readDirSync(`${ws}${folder}`)) {
      if (isDirectory) walk(`${folder}/${name}`);
      else found.set(`${folder}/${name}`, Deno.readTextFileSync(`${ws}${folder}/${name}`));
    }
  };
  walk("");
  return Object.fromEntries([...found].sort());
};

/** Lets a background command go on, and waits for what it does. */
async function letGo(ws: string): Promise<void> {
  Deno.writeTextFileSync(`${ws}/over`, "");
  await until(() => !exists(`${ws}/over`));
}

/** Runs a program in a terminal. Steps: a text to wait for, a text to type. Prints the output and how the program ended. */
const IN_TERMINAL = `
import json, os, pty, select, sys, time
steps, argv = json.loads(sys.argv[1]), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0: os.execvp(argv[0], argv)
said, seen, end = '', 0, time.time() + 60
while time.time() < end:
    while steps and steps[0][0] in said[seen:]:
        seen = len(said)
        os.write(fd, steps.pop(0)[1].encode())
    if not select.select([fd], [], [], 0.1)[0]: continue
    try: said += os.read(fd, 65536).decode(errors='replace')
    except OSError: break
else: os.kill(pid, 9)
print(said, steps, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

interface Place {
  readonly ws: string;
  readonly home: string;
}

async function inTerminal(args: readonly string[], steps: readonly (readonly string[])[], { ws, home }: Place) {
  const { stdout } = await new Deno.Command("python3", {
    args: ["-c", IN_TERMINAL, JSON.stringify(steps), ...PROGRAM.command, ...args],
    cwd: ws,
    clearEnv: true,
    env: { ...environment({ HOME: home }), TERM: "xterm-256color" },
    stdin: "null",
  }).output();
  assertStringIncludes(new TextDecoder().decode(stdout), "[] 0");
}

/** How one session is opened, prompted and ended, by mode. `model`: its options. */
const MODES: Readonly<Record<string, (model: readonly string[], place: Place) => Promise<void>>> = {
  "the terminal UI": (model, place) =>
    inTerminal(model, [["100% left", "go\r"], ["all done", "/quit"], ["/quit", "\r"]], place),
  "plain mode": (model, place) =>
    inTerminal(["--plain", ...model], [["model", "go\n"], ["all done", "/quit\n"]], place),
  "ACP": async (model, { ws, home }) => {
    await using client = acpClient(PROGRAM, model, { cwd: ws, env: { HOME: home } });
    const { sessionId } = await newSession(client, ws);
    await prompt(client, sessionId, "go");
    assertEquals((await client.leave()).code, 0);
  },
  "the SDK": async (model, { ws, home }) => {
    const env = environment({ HOME: home });
    await using agent = await createAgent({ cwd: ws, model: model[1] ?? "", env, session: "file", audit: true });
    await agent.answer("go");
  },
};

async function undone(ws: string, home: string, before: unknown): Promise<void> {
  const { code, stdout, stderr } = await run(PROGRAM, ["undo"], { cwd: ws, env: { HOME: home } });
  assertEquals([code, all(ws)], [0, before], stdout + stderr);
}

if (CONFINED.length > 0) {
  for (const [who, { calls, settings }] of Object.entries(WRITERS)) {
    const replies = [{ calls: [CHANGE, ...calls] }, { text: "done" }];
    const isAfter = who.endsWith("after the run");

    Deno.test(`what ${who} changes at the end of a session is in its journal`, () =>
      inWorkspace(FILES, async ({ ws, home }) => {
        const before = all(ws);
        await withSession({ at: { ws, home }, settings, replies }, async ({ say }) => {
          await say("go");
          if (isAfter) await letGo(ws);
        });
        await undone(ws, home, before);
      }));

    Deno.test(`what ${who} changes at the end of a session over RPC is in its journal`, () =>
      inWorkspace(FILES, async ({ ws, home }) => {
        const before = all(ws);
        Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
        Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(settings));
        {
          const model = ["-m", `replay:${cassette(home, replies)}`];
          await using client = rpcClient(PROGRAM, model, { cwd: ws, env: { HOME: home } });
          await client.send({ type: "prompt", message: "go" });
          await client.wait(({ type }) => type === "agent_end");
          if (isAfter) await letGo(ws);
          await client.closeInput();
          assertEquals((await client.ended()).code, 0);
        }
        await undone(ws, home, before);
      }));

    if (isAfter) continue;
    Deno.test(`what ${who} changes at the end of a run with -p is in its report`, () =>
      inWorkspace(FILES, async ({ ws, home }) => {
        const before = all(ws) as Record<string, string>;
        Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
        Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(settings));
        const options = [
          "--fail-on",
          "change",
          "--report",
          `${home}/r.json`,
          "-m",
          `replay:${cassette(home, replies)}`,
        ];
        const { stderr } = await run(PROGRAM, ["-p", ...options, "go"], { cwd: ws, env: { HOME: home } });
        const after = all(ws) as Record<string, string>;
        const { changes } = JSON.parse(Deno.readTextFileSync(`${home}/r.json`));
        const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
        assertEquals(
          changes.files.map(({ path }: { readonly path: string }) => `/${path}`).sort(),
          names.filter((name) => before[name] !== after[name]).sort(),
          stderr,
        );
        await undone(ws, home, before);
      }));
  }

  for (const [mode, session] of Object.entries(MODES)) {
    const programs = mode.includes("mode") || mode.includes("UI") ? ["python3"] : [];
    for (const who of ["a server when its input is closed", "a background command until it is ended"]) {
      Deno.test({
        ...needs(programs, `what ${who} changes at the end of a session in ${mode} is in its journal`),
        fn: () =>
          inWorkspace(FILES, async (place) => {
            const { ws, home } = place;
            const before = all(ws);
            const { calls = [], settings } = WRITERS[who] ?? {};
            Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
            Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(settings));
            const replies = [{ calls: [CHANGE, ...calls] }, { text: "all done" }];
            await session(["-m", `replay:${cassette(home, replies)}`], place);
            const expected = who.includes("server")
              ? ["/changed", "/d/e/f", "/planted"]
              : ["/busy", "/changed", "/d/e/f", "/kept"];
            assertEquals(Object.keys(all(ws) as object), expected);
            await undone(ws, home, before);
          }),
      });
    }
  }

  Deno.test("what the user changes after a background command has ended is not the session's work", () =>
    inWorkspace(FILES, async ({ ws, home }) => {
      const before = all(ws);
      const background = { name: "bash", args: { command: "sleep .1; rm kept", background: true } };
      const replies = [{ calls: [CHANGE, background] }, { text: "done" }];
      await withSession({ at: { ws, home }, replies }, async ({ engine, say, events }) => {
        await say("go");
        await until(() => events.some(({ type }) => type === "background_end"));
        await engine.undoPoints();
        Deno.writeTextFileSync(`${ws}/d/e/f`, "edited\n");
      });
      await undone(ws, home, { ...before as object, "/d/e/f": "edited\n" });
    }));

  Deno.test("what a typed command leaves has ended with it, and its changes are the user's", () =>
    inWorkspace(FILES, async ({ ws, home }) => {
      const before = all(ws);
      await withSession(
        { at: { ws, home }, replies: [{ calls: [CHANGE] }, { text: "done" }] },
        async ({ engine, say }) => {
          await say("go");
          const late = "trap 'echo typed > typed; exit' TERM; while :; do sleep .02; done";
          await engine.bash(`(setsid bash -c "${late}" > /dev/null 2>&1 &); echo more >> kept`, false);
        },
      );
      const { kept } = { kept: Deno.readTextFileSync(`${ws}/kept`) };
      assertEquals(kept, "mine\nmore\n");
      const left = exists(`${ws}/typed`) ? { "/typed": "typed\n" } : {};
      await undone(ws, home, { ...before as object, "/kept": kept, ...left });
    }));
}

function exists(path: string): boolean {
  try {
    return Deno.lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}
