// A program in a real terminal: tmux holds the pseudo-terminal and knows what is on the screen.
import { dirname, fromFileUrl, join } from "@std/path";

const here = dirname(fromFileUrl(import.meta.url));

/** Whether there is a tmux; tests are left out without one, and say so. */
export const hasTmux: boolean = (() => {
  try {
    return new Deno.Command("tmux", { args: ["-V"], stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
})();
if (!hasTmux) console.log("tmux is not installed: the tests of the terminal UI in a pseudo-terminal are left out");

const SHORT = isFolder("/tmp") ? { dir: "/tmp" } : {};

/**
 * A temporary folder with a short path, whatever TMPDIR is: the path of a socket has room for 107 bytes, and a screen of 80
 * columns shows paths.
 */
export function shortFolder(prefix: string): string {
  return Deno.realPathSync(Deno.makeTempDirSync({ prefix, ...SHORT }));
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** A terminal with a program in it. */
export interface Pty {
  /** Keys by tmux's names, or text with `literal`. */
  readonly keys: (...keys: readonly string[]) => Promise<void>;
  readonly type: (text: string) => Promise<void>;
  readonly paste: (text: string) => Promise<void>;
  /** The lines of the screen without what is empty at the end; `history`: and what has scrolled away. */
  readonly screen: (history?: boolean) => Promise<string>;
  /** Waits for a text on the screen; fails with the screen after ten seconds or so. */
  readonly see: (text: string | RegExp, options?: { readonly history?: boolean }) => Promise<string>;
  /** Waits until a text is gone. */
  readonly gone: (text: string) => Promise<string>;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** What the window is called. */
  readonly title: () => Promise<string>;
  /** The program's process. */
  readonly pid: () => Promise<number>;
  /** Everything that the program wrote. */
  readonly written: () => string;
  readonly close: () => Promise<void>;
}

/** Where and how. */
export interface PtyOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** The colour that the terminal says its ground has; without one it says none. */
  readonly ground?: string;
}

/** Starts a program; after its end the terminal shows `[ended CODE]` and its settings, and stays. */
export async function openPty({ columns = 80, rows = 24, cwd, env, command, ground }: PtyOptions): Promise<Pty> {
  const folder = shortFolder("sp-pty-");
  const socket = join(folder, "tmux"); // a server of this test's own
  const log = join(folder, "written");
  const pidFile = join(folder, "pid");
  const script = join(folder, "start.sh");
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  Deno.writeTextFileSync(
    script,
    `cd '${cwd}'\nwhile [ ! -e '${folder}/go' ]; do sleep 0.05; done\nstty -a >'${folder}/before'\n` +
      `sh -c 'echo $$ >${pidFile}; exec "$@"' sh ${words} 2>'${folder}/stderr'\ncode=$?\n` +
      `stty -a | cmp -s - '${folder}/before' && echo "[ended $code] terminal as before" || echo "[ended $code] terminal changed"\n` +
      `printf '[typed] '; read -r line; echo "[read] $line"; sleep 60\n`,
  );
  const config = join(folder, "tmux.conf");
  Deno.writeTextFileSync(config, ground === undefined ? "" : `set -g window-style bg=${ground}\n`);
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const done = await new Deno.Command("tmux", {
      args: ["-S", socket, "-f", config, ...args],
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH") ?? "", LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TERM: "xterm-256color", ...env },
      stdout: "piped",
      stderr: "piped",
    }).output();
    if (!done.success) throw new Error(`tmux ${args[0]}: ${new TextDecoder().decode(done.stderr)}`);
    return new TextDecoder().decode(done.stdout);
  };
  await tmux("-u", "new-session", "-d", "-x", String(columns), "-y", String(rows), `sh ${script}`);
  await tmux("pipe-pane", "-O", `cat >>'${log}'`);
  Deno.writeTextFileSync(join(folder, "go"), "");
  const screen = async (history = false): Promise<string> => {
    const text = await tmux("capture-pane", "-p", ...history ? ["-S", "-5000"] : []);
    return text.replace(/[ \t]+$/gm, "").replace(/\n+$/, "");
  };
  const wait = async (is: (text: string) => boolean, what: string, history = false): Promise<string> => {
    const until = Date.now() + 30_000;
    let text = await screen(history);
    while (!is(text)) {
      if (Date.now() > until) {
        const errors = await Deno.readTextFile(join(folder, "stderr")).catch(() => "");
        throw new Error(`waited for ${what}; the screen:\n${text}\n${errors}`);
      }
      await new Promise((later) => setTimeout(later, 60));
      text = await screen(history);
    }
    return text;
  };
  return {
    keys: async (...keys) => void await tmux("send-keys", ...keys),
    type: async (text) => void await tmux("send-keys", "-l", text),
    async paste(text) {
      const file = join(folder, "paste");
      Deno.writeTextFileSync(file, text);
      await tmux("load-buffer", file);
      await tmux("paste-buffer", "-p");
    },
    screen,
    see: (text, { history = false } = {}) =>
      wait((now) => typeof text === "string" ? now.includes(text) : text.test(now), String(text), history),
    gone: (text) => wait((now) => !now.includes(text), `the end of ${text}`),
    resize: async (width, height) => void await tmux("resize-window", "-x", String(width), "-y", String(height)),
    title: async () => (await tmux("display-message", "-p", "#{pane_title}")).trim(),
    pid: () => Promise.resolve(Number(Deno.readTextFileSync(pidFile))),
    written: () => Deno.readTextFileSync(log),
    async close() {
      await tmux("kill-server").catch(() => {});
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

/** The program's UI from source. */
export const FROM_SOURCE: readonly string[] = [
  Deno.execPath(),
  "run",
  "-A",
  "--no-prompt",
  "--quiet",
  join(here, "program.ts"),
];
