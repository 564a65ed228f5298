import { dirname, join } from "@std/path";

/** When the recorder looks: at the first byte of output, at the first request to a model, at the end. */
export type Stage = "output" | "request" | "end";

/** What a run of the program had loaded at one stage. */
export interface Recorded {
  /** Modules in the order in which they were loaded. */
  readonly loaded: readonly string[];
  /** Packs whose cache V8 did not take. */
  readonly refused: readonly string[];
  /** V8's caches by pack. */
  readonly caches: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** A run by its stages; those that it did not come to are not in it. */
export type Recording = ReadonlyMap<Stage, Recorded>;

const STAGES: readonly Stage[] = ["output", "request", "end"];

/** How long a run may take. */
const LIMIT_MS = 120_000;

/** Runs the recorder (recorder.ts) as people run the program: one task with a call of a tool, in an empty folder. */
export async function recordTask(recorder: string, options: readonly string[] = []): Promise<Recording> {
  await using model = serveModel(REPLIES);
  const server = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "none" };
  // Its modules are a file of their own, which the runner that it starts reads too.
  const modules = `--allow-read=+${dirname(recorder)}`;
  return await recordRun(recorder, [...options, modules, "-m", "model", "-p", "What is here?"], server);
}

/** Runs the recorder with arguments, in an empty folder. */
export function recordRun(
  recorder: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Recording> {
  return inEmptyFolder(async ({ cwd, env, report }) => {
    const { success, stderr } = await new Deno.Command(recorder, {
      args: [...args],
      cwd,
      clearEnv: true,
      env: { ...env, ...more, SANDPIPER_RECORD: report },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(LIMIT_MS),
    }).output();
    if (!success) throw new Error(`the program fails while it is built: ${new TextDecoder().decode(stderr).trim()}`);
    return await readReport(report);
  });
}

/** Loads modules and runs nothing of them. */
export function recordLoads(recorder: string, names: readonly string[]): Promise<Recording> {
  return recordRun(recorder, [], { SANDPIPER_LOAD: names.join(" ") });
}

/** The runner's process, without its worker. */
export function recordRunner(recorder: string): Promise<Recording> {
  return recordRun(recorder, ["--internal-runner"]);
}

/** The worker with the tools. */
export function recordWorker(recorder: string): Promise<Recording> {
  return recordRun(recorder, [], { SANDPIPER_WORKER: "1" });
}

/** As a person runs it, in a terminal. A machine without pseudo-terminals builds a binary whose screen is slower, and says so. */
export async function recordScreen(recorder: string): Promise<Recording> {
  try {
    if (Deno.build.os !== "linux") throw new Error("pseudo-terminals are opened on Linux only");
    return await inTerminal(recorder);
  } catch (error) {
    console.error(`no packs for the screen: ${error instanceof Error ? error.message : String(error)}`);
    return new Map();
  }
}

/** The first screen, keys, an answer, the end. */
async function inTerminal(recorder: string): Promise<Recording> {
  const { startIn } = await import("../bench/tui/pty.ts");
  await using model = serveModel([]);
  return await inEmptyFolder(async ({ cwd, env, report }) => {
    const terminal = startIn({
      command: [recorder, "-m", "model"],
      cwd,
      env: { ...env, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "none", SANDPIPER_RECORD: report },
    });
    try {
      await terminal.until((text) => text.includes("write: ."), LIMIT_MS);
      const typed = terminal.until((text) => text.includes("here"), LIMIT_MS);
      terminal.type("What is here");
      await typed;
      const answered = terminal.until((text) => text.includes("Nothing."), LIMIT_MS);
      terminal.type("?\r");
      await answered;
    } finally {
      await terminal.end();
    }
    return await readReport(report);
  });
}

async function readReport(report: string): Promise<Recording> {
  const stages = new Map<Stage, Recorded>();
  for (const stage of STAGES) {
    const told = await Deno.readTextFile(join(report, `${stage}.json`)).catch(() => undefined);
    if (told === undefined) continue;
    const { loaded, refused }: Pick<Recorded, "loaded" | "refused"> = JSON.parse(told);
    const caches = new Map<string, Uint8Array<ArrayBuffer>>();
    for await (const { name } of Deno.readDir(report)) {
      const [of, pack, ending] = name.split(".");
      if (of === stage && pack && ending === "cache") caches.set(pack, await Deno.readFile(join(report, name)));
    }
    stages.set(stage, { loaded, refused, caches });
  }
  return stages;
}

interface Ground {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder where the recorder writes. */
  readonly report: string;
}

async function inEmptyFolder<T>(work: (ground: Ground) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "sandpiper-build-" });
  const [home, cwd, report] = [join(folder, "home"), join(folder, "project"), join(folder, "report")];
  try {
    for (const made of [home, cwd, report]) await Deno.mkdir(made);
    return await work({ cwd, env: { HOME: home, PATH: "/usr/bin:/bin" }, report });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

interface Model extends AsyncDisposable {
  readonly url: string;
}

/** What the model calls, reply by reply: what most sessions call, so that V8 has compiled what each takes when it works. */
const REPLIES: readonly Readonly<Record<string, object>>[] = [
  { bash: { command: "ls; echo one >> b" }, write: { path: "a", content: "a\n" } },
  { read: { path: "a" }, edit: { path: "a", edits: [{ oldText: "a", newText: "b" }] }, bash: { command: "cat a" } },
];

/** A model that works as the replies say, and then says that it is done. */
function serveModel(replies: typeof REPLIES): Model {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    if (request.method !== "POST") return Response.json({ object: "list", data: [] });
    const text = await request.text();
    if (text.includes("did not finish this call")) {
      console.error("the tools do not run here: what the binary does with their results is compiled when it does it");
    }
    const calls = replies[text.split('"role":"assistant"').length - 1];
    const tool_calls = Object.entries(calls ?? {}).map(([name, args], index) => ({
      index,
      id: `${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${
        JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })
      }\n\n`;
    const delta = calls ? { role: "assistant", tool_calls } : { role: "assistant", content: "Nothing." };
    const body = chunk(delta, null) + chunk({}, calls ? "tool_calls" : "stop") + "data: [DONE]\n\n";
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
