// A workspace, a home and a recorded model for the program in a terminal.
import { dirname, join } from "@std/path";
import { PROGRAM } from "../helpers/program.ts";
import { FROM_SOURCE, openPty, type Pty, shortFolder } from "./pty.ts";

/** What a test of the whole screen is made of. */
export interface WorldOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly replies?: readonly object[];
  readonly args?: readonly string[];
  /** The user's settings.json. */
  readonly settings?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  readonly ground?: string;
  /** The program, in a whole run the binary; its arguments come after it. */
  readonly command?: readonly string[];
}

/** The places of a test. */
export interface Places {
  readonly ws: string;
  readonly home: string;
  readonly base: string;
}

const COMMAND = PROGRAM.name === "binary" ? PROGRAM.command : FROM_SOURCE;

/** Opens the program on a workspace and takes everything away afterwards. */
export async function inTerminal(
  options: WorldOptions,
  work: (pty: Pty, places: Places) => Promise<void>,
): Promise<void> {
  const base = shortFolder("sp-ui-");
  const places = { base, ws: join(base, "ws"), home: join(base, "home") };
  Deno.mkdirSync(places.ws);
  Deno.mkdirSync(places.home);
  for (const [path, text] of Object.entries(options.files ?? {})) {
    Deno.mkdirSync(dirname(join(places.ws, path)), { recursive: true });
    Deno.writeTextFileSync(join(places.ws, path), text);
  }
  if (options.settings) {
    Deno.mkdirSync(join(places.home, ".sandpiper", "agent"), { recursive: true });
    const file = join(places.home, ".sandpiper", "agent", "settings.json");
    Deno.writeTextFileSync(file, JSON.stringify(options.settings));
  }
  const cassette = join(places.home, "replies.jsonl");
  Deno.writeTextFileSync(cassette, (options.replies ?? []).map((reply) => JSON.stringify(reply) + "\n").join(""));
  const model = options.replies ? ["-m", `replay:${cassette}`] : [];
  const pty = await openPty({
    cwd: places.ws,
    columns: options.columns ?? 80,
    rows: options.rows ?? 24,
    ...(options.ground === undefined ? {} : { ground: options.ground }),
    env: { HOME: places.home, DENO_DIR: denoDir(), DENO_NO_UPDATE_CHECK: "1", ...options.env },
    command: [...options.command ?? COMMAND, ...model, ...options.args ?? []],
  });
  try {
    await work(pty, places);
  } finally {
    await pty.close();
    await removed(base);
  }
}

/** Processes that were just ended may still write. */
async function removed(folder: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    try {
      return Deno.removeSync(folder, { recursive: true });
    } catch {
      await new Promise((later) => setTimeout(later, 100));
    }
  }
}

/** A screen without what differs from run to run: temporary folders, times, the level of the sandbox. */
export function shown(text: string, { base, home }: Places): string {
  return text.replaceAll(home, "~").replaceAll(base, "/B")
    // As long as the name was, so that nothing moves.
    .replace(/^(\/B\/\S*)( +)/m, (_, path: string, gap: string) => path + gap + " ".repeat(base.length - 2))
    .replace("▣ kernel+ · write: . · net: off", "▣ kernel · write: . · net: off ")
    .replace(/ {2}\d+(?:\.\d)?s$/gm, "");
}

function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? "", ".cache", "deno");
}
