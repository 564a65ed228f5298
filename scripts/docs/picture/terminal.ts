import { join } from "@std/path";

/** A program in a real terminal: tmux holds the pseudo-terminal and knows what is on the screen. */
export interface Terminal {
  readonly type: (text: string) => Promise<void>;
  /** A key by tmux's name for it, for example `Enter`. */
  readonly press: (key: string) => Promise<void>;
  /** Waits until all of the texts are on the screen; the screen with its colours. Throws after 30 seconds. */
  readonly see: (...texts: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** What runs where. The environment is complete: nothing is inherited. */
export interface TerminalOptions {
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** A folder for the terminal's own files; its path has to be short, since it is also that of a socket. */
  readonly folder: string;
  /** The colour of the ground that the terminal tells a program which asks for it. */
  readonly ground: string;
}

/** Starts a program in a terminal. */
export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const { columns, rows, cwd, env, command, folder, ground } = options;
  const config = join(folder, "tmux.conf");
  await Deno.writeTextFile(config, `set -g window-style bg=${ground}\nset -g status off\nset -g remain-on-exit on\n`);
  const tmux = async (...words: readonly string[]): Promise<string> => {
    const { success, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-S", join(folder, "tmux"), "-f", config, "-u", ...words],
      clearEnv: true,
      env: { LANG: "C.UTF-8", TERM: "xterm-256color", COLORTERM: "truecolor", ...env },
    }).output();
    if (!success) throw new Error(`tmux ${words[0]}: ${new TextDecoder().decode(stderr).trim()}`);
    return new TextDecoder().decode(stdout);
  };
  await tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", cwd, "--", ...command);
  return {
    type: async (text) => void await tmux("send-keys", "-l", text),
    press: async (key) => void await tmux("send-keys", key),
    async see(...texts) {
      const until = Date.now() + 30_000;
      while (true) {
        const plain = (await tmux("capture-pane", "-p")).replace(/\s+/g, " ");
        if (texts.every((text) => plain.includes(text))) {
          // A frame may be half written when its words are there: it is whole when two looks show the same.
          const [first, second] = [await tmux("capture-pane", "-p", "-e"), await tmux("capture-pane", "-p", "-e")];
          if (first === second) return first;
        }
        if (Date.now() > until) throw new Error(`waited for ${texts.join(" and ")}; the screen:\n${plain}`);
        await new Promise((later) => setTimeout(later, 40));
      }
    },
    async close() {
      const pid = (await tmux("display-message", "-p", "#{pane_pid}")).trim();
      await tmux("kill-server").catch(() => "");
      // It ends what it started and closes its files before it goes.
      for (let tries = 0; tries < 200 && await isThere(`/proc/${pid}`); tries++) {
        await new Promise((later) => setTimeout(later, 50));
      }
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
