import { join } from "@std/path";
import { bareWorkers } from "./bare_workers.ts";
import { spreadOf } from "./part_goals.ts";

/** Handlers that one prompt passes in the longer chain, more than in the shorter one: as many as somebody may well use. */
const CHAIN = 4;
/** Prompts that one session gets before it is the other one's turn. */
const BLOCK = 20;
/** The first blocks find code that has not run yet. */
const WARM_UP = 5;
const PASSES = 'export default (sp) => {\n  sp.on("input", () => ({ action: "continue" }));\n};\n';
const TAKES = 'export default (sp) => {\n  sp.on("input", () => ({ action: "handled" }));\n};\n';

/** How the program is started, a folder to make, and how many blocks of prompts each session gets. */
interface HookCalls {
  readonly command: readonly string[];
  readonly folder: string;
  readonly blocks: number;
}

/** Times in milliseconds, one median for each block. */
interface HookCallTimes {
  /** One handler in a worker of its own: the call, its answer, and what becomes of it. */
  readonly callMs: readonly number[];
  /** The same way there and back to a worker that does nothing, in a plain runtime. */
  readonly bareMs: readonly number[];
  /** From a command of RPC to its response, with one handler that takes the prompt. */
  readonly promptMs: readonly number[];
}

/**
 * Times calls of handlers in the program itself, from outside: two sessions in RPC mode get blocks of prompts in turn, which
 * an extension takes before anything else happens; in one of them four others are asked first, one after another.
 */
export async function hookCalls({ command, folder, blocks }: HookCalls): Promise<HookCallTimes> {
  const [short, long] = await Promise.all([0, CHAIN].map((passing) => openSession(command, folder, passing)));
  if (!short || !long) throw new Error("no session");
  const bare = bareWorkers(CHAIN);
  const [callMs, bareMs, promptMs]: [number[], number[], number[]] = [[], [], []];
  try {
    for (let i = 0; i < WARM_UP + blocks; i++) {
      const [one, more] = [await blockMs(short.promptMs), await blockMs(long.promptMs)];
      const none = await blockMs(bare.callMs);
      if (i < WARM_UP) continue;
      callMs.push((more - one) / CHAIN);
      bareMs.push(none);
      promptMs.push(one);
    }
  } finally {
    bare.close();
    await Promise.all([short.close(), long.close()]);
  }
  return { callMs, bareMs, promptMs };
}

async function blockMs(onceMs: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < BLOCK; i++) times.push(await onceMs());
  return spreadOf(times).median ?? NaN;
}

interface Session {
  readonly promptMs: () => Promise<number>;
  readonly close: () => Promise<void>;
}

async function openSession(
  [program = "", ...words]: readonly string[],
  folder: string,
  passing: number,
): Promise<Session> {
  const place = join(folder, String(passing));
  const [home, ws] = [join(place, "home"), join(place, "ws")];
  const names = Array.from({ length: passing + 1 }, (_, i) => join(place, `handler${i}.ts`));
  for (const path of [home, ws]) await Deno.mkdir(path, { recursive: true });
  // In the order of the command line: only the last one takes the prompt.
  for (const [i, path] of names.entries()) await Deno.writeTextFile(path, i < passing ? PASSES : TAKES);
  const child = new Deno.Command(program, {
    args: [
      ...words,
      ...["--mode", "rpc", "--no-session", "--model", "bench", "--base-url", "http://127.0.0.1:9/v1"],
      ...names.flatMap((path) => ["--extension", path]),
    ],
    cwd: ws,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", OPENAI_API_KEY: "dummy" },
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const input = child.stdin.getWriter();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const encoder = new TextEncoder();
  let rest = "";
  return {
    async promptMs() {
      const before = performance.now();
      await input.write(encoder.encode('{"type":"prompt","message":"hello"}\n'));
      for (;;) {
        const end = rest.indexOf("\n");
        if (end < 0) {
          const { value, done } = await output.read();
          if (done) throw new Error("the session ended");
          rest += value;
          continue;
        }
        const line = JSON.parse(rest.slice(0, end));
        rest = rest.slice(end + 1);
        if (line.type !== "response") continue;
        if (line.data?.disposition !== "handled") throw new Error(`the prompt was not taken: ${JSON.stringify(line)}`);
        return performance.now() - before;
      }
    },
    async close() {
      await input.close().catch(() => {}); // it may have ended
      await child.status;
      await output.cancel();
    },
  };
}
