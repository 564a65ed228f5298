// A reader that does not read: the program handles signals and limits, begins no further call, and loses nothing that is read later.
import { assert, assertEquals } from "@std/assert";
import { cassette, events, inWorkspace, PROGRAM, start } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";

/** More than a pipe and the events that may wait hold. */
const CALLS = 60;
/** Longest time in which a run may end early, also on a busy machine, milliseconds. */
const AT_ONCE_MS = 10_000;

const MODES = [
  { name: "json", args: ["--mode", "json", "go"], unread: "stdout" },
  { name: "text with -v", args: ["-p", "-v", "go"], unread: "stderr" },
  { name: "text with -v, one pipe", args: ["-p", "-v", "go"], unread: "stdout", isOnePipe: true },
  { name: "rpc", args: ["--mode", "rpc", "go"], unread: "stdout" },
  { name: "acp", args: ["acp"], unread: "stdout" },
] as const;
type Mode = (typeof MODES)[number];

const SIGNALS = [["SIGTERM", 143], ["SIGINT", 130], ["SIGHUP", 129]] as const;

interface Place {
  readonly ws: string;
  readonly home: string;
}

/** A run of `CALLS` calls with much output each; its standard input is open. */
async function begin({ args, unread, ...mode }: Mode, { ws, home }: Place, more: readonly string[] = []) {
  Deno.writeTextFileSync(`${home}/output`, Array.from({ length: 20 }, () => "x".repeat(900) + "\n").join(""));
  Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
  Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify({ compaction: { enabled: false } }));
  const calls = Array.from({ length: CALLS }, (_, at) => ({
    calls: [{ name: "bash", args: { command: `touch ${at}; cat ${home}/output` } }],
  }));
  const options = ["-m", `replay:${cassette(home, [...calls, { text: "the end" }])}`, "--allow-read", `${home}/output`];
  const whole = [...args, ...options, ...more];
  const program = "isOnePipe" in mode
    ? { name: PROGRAM.name, command: ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", ...PROGRAM.command] }
    : PROGRAM;
  const isServer = mode.name === "rpc" || mode.name === "acp";
  const child = start(program, whole, { cwd: ws, env: { HOME: home }, ...(isServer ? { stdin: "" } : {}) });
  const other = new Response(unread === "stdout" ? child.stderr : child.stdout).text();
  if (mode.name === "acp") await beginPrompt(child, ws);
  return { child, other };
}

/** Reads no more of the client's side than a prompt needs. */
async function beginPrompt(child: Deno.ChildProcess, ws: string): Promise<void> {
  const writer = child.stdin.getWriter();
  const reader = child.stdout.getReader();
  const ask = async (id: number, method: string, params: object): Promise<string> => {
    await writer.write(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n"));
    if (method === "session/prompt") return "";
    let text = "";
    while (!text.includes(`"id":${id},`) || !text.endsWith("\n")) {
      const { value } = await reader.read();
      text += new TextDecoder().decode(value);
    }
    return text;
  };
  await ask(0, "initialize", { protocolVersion: 1 });
  const [, sessionId = ""] = /"sessionId":"([^"]+)"/.exec(await ask(1, "session/new", { cwd: ws, mcpServers: [] })) ??
    [];
  await ask(2, "session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] });
  reader.releaseLock();
  writer.releaseLock();
}

function touched(ws: string): number {
  return [...Deno.readDirSync(ws)].length;
}

/** The exit code of a run that is to end soon. */
async function endOf(child: Deno.ChildProcess): Promise<number> {
  const timer = setTimeout(() => child.kill("SIGKILL"), AT_ONCE_MS);
  const { code } = await child.status;
  clearTimeout(timer);
  return code;
}

for (const [at, mode] of MODES.entries()) {
  const { name, unread } = mode;
  const [signal, exitCode] = SIGNALS[at % SIGNALS.length] ?? SIGNALS[0];

  Deno.test(`${signal} ends a run at once whose output nobody reads, and no further call begins (${name})`, async () => {
    await inWorkspace({}, async (place) => {
      const { child, other } = await begin(mode, place);
      await until(() => touched(place.ws) > 4);
      child.kill(signal);
      const before = touched(place.ws);
      assertEquals(await endOf(child), exitCode, await other);
      // The one that had begun.
      assert(touched(place.ws) <= before + 1, `${before} calls, then ${touched(place.ws)}`);
      await child[unread].cancel();
    });
  });

  if (name === "rpc") continue; // has a limit of its own: rpc_behind_test.ts

  Deno.test(`a run waits for a reader that does not read (${name})`, async () => {
    await inWorkspace({}, async (place) => {
      const { child, other } = await begin(mode, place);
      await until(() => touched(place.ws) > 4);
      // Longer than all the calls take.
      for (let [last, since] = [0, 0]; since < 20; since++) {
        await new Promise((later) => setTimeout(later, 100));
        if (touched(place.ws) > last) [last, since] = [touched(place.ws), 0];
      }
      assert(touched(place.ws) < CALLS);
      child.kill(signal);
      assertEquals(await endOf(child), exitCode, await other);
      await child[unread].cancel();
    });
  });

  if (name === "acp") continue; // ends with its client

  Deno.test(`--timeout ends a run whose output nobody reads (${name})`, async () => {
    await inWorkspace({}, async (place) => {
      const { child, other } = await begin(mode, place, ["--timeout", "6s"]);
      assertEquals(await endOf(child), 4, await other);
      assert(touched(place.ws) < CALLS);
      await child[unread].cancel();
    });
  });

  Deno.test(`a reader that reads late gets everything in order (${name})`, async () => {
    await inWorkspace({}, async (place) => {
      const { child, other } = await begin(mode, place);
      await until(() => touched(place.ws) > 4);
      const text = await new Response(child[unread]).text();
      assertEquals((await child.status).code, 0, await other);
      const shown = name === "json"
        ? events(text).filter(({ type }) => type === "tool_execution_start")
          .map(({ args }) => Number(/^touch (\d+)/.exec(args.command)?.[1]))
        : [...text.matchAll(/^▸ bash touch (\d+);/gm)].map(([, at]) => Number(at));
      assertEquals(shown, Array.from({ length: CALLS }, (_, at) => at));
      if (name === "json") assertEquals(events(text).at(-1).exitCode, 0);
      else assertEquals(`${text}${await other}`.endsWith("the end\n"), true);
    });
  });
}

Deno.test("a reader that reads after the signal gets all that was said, and the report (json)", async () => {
  await inWorkspace({}, async (place) => {
    const { child, other } = await begin(MODES[0], place);
    await until(() => touched(place.ws) > 4);
    child.kill("SIGTERM");
    const all = events(await new Response(child.stdout).text());
    assertEquals((await child.status).code, 143, await other);
    const { type, outcome, exitCode } = all.at(-1);
    assertEquals([type, outcome, exitCode], ["run_report", "aborted", 143]);
    assertEquals(all.filter(({ type }) => type === "tool_execution_start").length, touched(place.ws));
  });
});

Deno.test("the report of a run whose output nobody reads has all its calls", async () => {
  await inWorkspace({}, async (place) => {
    const { child, other } = await begin(MODES[0], place, ["--report", `${place.home}/report.json`]);
    await until(() => touched(place.ws) > 4);
    child.kill("SIGTERM");
    assertEquals(await endOf(child), 143, await other);
    const { outcome, exitCode, commands } = JSON.parse(Deno.readTextFileSync(`${place.home}/report.json`));
    assertEquals([outcome, exitCode, commands.length], ["aborted", 143, touched(place.ws)]);
    await child.stdout.cancel();
  });
});

Deno.test("an answer that is read late is whole", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const answer = "y".repeat(3_000_000);
    const options = { cwd: ws, env: { HOME: home } };
    const child = start(PROGRAM, ["-p", "-m", `replay:${cassette(home, [{ text: answer }])}`, "go"], options);
    const reader = child.stdout.getReader();
    let text = "";
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text += new TextDecoder().decode(next.value);
    }
    assert(text === `${answer}\n`);
    assertEquals((await child.status).code, 0);
    await child.stderr.cancel();
  });
});
