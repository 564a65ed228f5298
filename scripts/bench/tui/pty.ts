// A pseudo-terminal without a program in between that would cost time of its own: Linux's own calls, through FFI.

/** A program in a terminal. */
export interface Terminal {
  readonly pid: number;
  /** Time of the exec, milliseconds of `performance.now()`. */
  readonly started: number;
  /** All that it has written so far. */
  readonly text: () => string;
  /** Bytes that it has written so far. */
  readonly bytes: () => number;
  readonly type: (text: string) => void;
  /** When what it writes from now on first fits, milliseconds of `performance.now()`; rejects after `limitMs`. */
  readonly until: (fits: (fresh: string) => boolean, limitMs?: number) => Promise<number>;
  /** Ends it: the code. */
  readonly end: () => Promise<number>;
}

/** What is started, and how large its terminal is. */
export interface Start {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** ioctl_tty(2), x86-64 and arm64 alike. */
const [TIOCSPTLCK, TIOCGPTN, TIOCSWINSZ] = [0x40045431n, 0x80045430n, 0x5414n];

const libc = Deno.dlopen("libc.so.6", {
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
});

/** Starts a program in a fresh terminal. */
export function startIn({ command, cwd, env, columns = 80, rows = 24 }: Start): Terminal {
  const before = new Set(masters());
  const master = Deno.openSync("/dev/ptmx", { read: true, write: true });
  const fd = masters().find((one) => !before.has(one));
  if (fd === undefined) throw new Error("the terminal has no descriptor");
  const number = new Uint32Array(1);
  control(fd, TIOCSPTLCK, number);
  control(fd, TIOCGPTN, number);
  const tty = `/dev/pts/${number[0]}`;
  control(fd, TIOCSWINSZ, new Uint16Array([rows, columns, 0, 0]));
  const started = performance.now();
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", 'exec "$@" <"$TTY" >"$TTY" 2>&1', "sh", ...command],
    cwd,
    clearEnv: true,
    env: { ...env, TTY: tty, TERM: "xterm-256color" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let text = "";
  let bytes = 0;
  let watcher: { readonly from: number; readonly look: (fresh: string) => void } | undefined;
  const reading = (async () => {
    const buffer = new Uint8Array(65536);
    const decoder = new TextDecoder();
    try {
      for (let count = await master.read(buffer); count !== null; count = await master.read(buffer)) {
        bytes += count;
        text += decoder.decode(buffer.subarray(0, count), { stream: true });
        watcher?.look(text.slice(watcher.from));
      }
    } catch {
      // The last one who had the terminal open has closed it: reading fails (EIO).
    }
  })();
  return {
    pid: child.pid,
    started,
    text: () => text,
    bytes: () => bytes,
    type: (typed) => void master.writeSync(new TextEncoder().encode(typed)),
    until(fits, limitMs = 30_000) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const late = setTimeout(() => reject(new Error(`waited in vain; the end of it: ${text.slice(-2000)}`)), limitMs);
      watcher = {
        from: text.length,
        look(fresh) {
          if (!fits(fresh)) return;
          watcher = undefined;
          clearTimeout(late);
          resolve(performance.now());
        },
      };
      return promise;
    },
    async end() {
      try {
        child.kill("SIGTERM");
      } catch {
        // It has ended already.
      }
      const { code } = await child.status;
      await reading;
      master.close();
      return code;
    },
  };
}

function control(fd: number, request: bigint, value: Uint32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>): void {
  if (libc.symbols.ioctl(fd, request, value) !== 0) throw new Error(`ioctl ${request.toString(16)} failed`);
}

/** Descriptors of this process that are the upper end of a terminal. */
function masters(): readonly number[] {
  return [...Deno.readDirSync("/proc/self/fd")].flatMap(({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/self/fd/${name}`) === "/dev/ptmx" ? [Number(name)] : [];
    } catch {
      return []; // closed meanwhile
    }
  });
}
