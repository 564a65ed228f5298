// The launcher for aarch64, run by an emulator of its instructions (qemu-user 7.2). That hands its system calls to this
// machine's kernel, but for some that it does not know: Landlock, seccomp, and prctl(PR_SET_CHILD_SUBREAPER), at which the
// shipped launcher therefore ends. What confines cannot be proven here; that nothing runs without it can, and, of a launcher
// that is built without that one call, how it starts a command.
import { assert, assertEquals } from "@std/assert";
import { IMAGES } from "../../../src/sandbox/launcher/image.ts";
import { encodeCommand, encodeNamespaces, encodePolicy, sumOf } from "../../../src/sandbox/launcher/frames.ts";
import { READ, WRITE } from "../../../src/sandbox/landlock/landlock.ts";
import { seccompFilter } from "../../../src/sandbox/seccomp/seccomp.ts";
import { buildLauncher, SOURCES, toolsOf } from "../../../scripts/build/launcher.ts";
import { ROOT } from "../../docs/embedding.ts";
import { seeded } from "../../helpers/seeded.ts";

const EMULATOR = "qemu-aarch64-static";
/** Exit code of a launcher that runs nothing. */
const NOTHING_RUN = 71;
const LIMITS = { fileBytes: 1 << 20, openFiles: 64, tasks: 100_000 };

type Bytes = Uint8Array<ArrayBuffer>;

const SUBREAPER = 'must(CALL(prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl(PR_SET_CHILD_SUBREAPER)", 0);';

/** A launcher that leaves out the one call which the emulator does not know. */
function withoutSubreaper(folder: string): Bytes {
  Deno.mkdirSync(`${folder}/${SOURCES}`, { recursive: true });
  for (const { name } of Deno.readDirSync(`${ROOT}/${SOURCES}`)) {
    if (!/\.[ch]$/.test(name)) continue;
    const text = Deno.readTextFileSync(`${ROOT}/${SOURCES}/${name}`);
    if (name === "launcher.c") assert(text.includes(SUBREAPER));
    Deno.writeTextFileSync(`${folder}/${SOURCES}/${name}`, text.replace(SUBREAPER, "(void)PR_SET_CHILD_SUBREAPER;"));
  }
  return buildLauncher(folder, "aarch64");
}

const ignore = Deno.build.os !== "linux" || Deno.build.arch !== "x86_64" || !hasEmulator();
if (ignore) console.log(`the launcher for aarch64 is not run: there is no ${EMULATOR}`);

function hasEmulator(): boolean {
  try {
    return new Deno.Command(EMULATOR, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/** Runs the launcher on the bytes of its standard input. */
async function launch(
  launcher: string,
  input: Bytes,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const child = new Deno.Command(EMULATOR, {
    ...{ args: [launcher], clearEnv: true, stdin: "piped", stdout: "piped", stderr: "piped" },
  }).spawn();
  const writer = child.stdin.getWriter();
  // It may end before it has read everything.
  await writer.write(input).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

function joined(...frames: readonly Bytes[]): Bytes {
  const bytes = new Uint8Array(frames.reduce((length, frame) => length + frame.length, 0));
  let at = 0;
  for (const frame of frames) bytes.set(frame, at), at += frame.length;
  return bytes;
}

Deno.test({
  name:
    "the launcher for aarch64 gives a command its words, environment, folder and limits, refuses where it cannot confine, and runs nothing of a frame that was changed",
  ignore,
  fn: async () => {
    const folder = Deno.realPathSync(Deno.makeTempDirSync());
    const launcher = `${folder}/launcher`;
    const exec = encodeCommand({
      argv: [
        "/bin/sh",
        "-c",
        'echo "$0 $FOO $PWD"; ulimit -n; ulimit -f; echo low >&2; read line || echo empty',
        "a b",
      ],
      env: { FOO: "bar", PATH: "/usr/bin:/bin" },
      cwd: folder,
      stdin: "null",
      mergeOutput: true,
    });
    const bare = encodePolicy({ cwd: folder, limits: LIMITS, kernel: null });
    try {
      const shipped = `${folder}/shipped`;
      Deno.writeFileSync(shipped, Uint8Array.fromBase64(IMAGES.aarch64.bytes), { mode: 0o755 });
      const refused = await launch(shipped, joined(bare, exec));
      const why = "prctl(PR_SET_CHILD_SUBREAPER): EINVAL";
      assertEquals(refused, {
        code: NOTHING_RUN,
        out: "",
        err: `{"confine":"failed","step":"policy","why":"${why}"}\n`,
      });
      assertEquals((await launch(shipped, bare.slice(0, -1))).err.includes(why), false);
      if (toolsOf("aarch64") === undefined) {
        return console.log("no command is started: there is no compiler for aarch64");
      }

      Deno.writeFileSync(launcher, withoutSubreaper(folder), { mode: 0o755 });
      const ran = await launch(launcher, joined(bare, exec));
      const blocks = LIMITS.fileBytes / 512;
      assertEquals(ran, {
        code: 0,
        out: `a b bar ${folder}\n64\n${blocks}\nlow\nempty\n`,
        err: '{"confine":"done"}\n',
      });

      // Whatever cannot be had, nothing runs: neither with less, nor after a warning.
      const rules = [["/usr", READ], [folder, WRITE]] as const;
      const confining = (minAbi: number, seccomp: Bytes): Bytes =>
        encodePolicy({
          ...{ cwd: folder, limits: LIMITS },
          kernel: { apart: [], landlock: { rules, denyTcp: false, scope: true, minAbi }, seccomp },
        });
      const filter = seccompFilter({ net: "none", unixSockets: false, privateIpc: false }, "aarch64");
      const orders: readonly Bytes[] = [
        joined(confining(1, filter), exec),
        joined(confining(0, filter), exec),
        joined(encodeNamespaces({ sharesNet: false, memoryBytes: 1 << 20, mounts: [] }), confining(1, filter), exec),
        exec,
        bare,
        joined(bare, exec.slice(0, -1)),
        joined(bare, bare),
      ];
      for (const [at, order] of orders.entries()) {
        const { code, out } = await launch(launcher, order);
        assertEquals([at, code, out], [at, NOTHING_RUN, ""]);
      }
      assertEquals((await launch(launcher, new Uint8Array())).code, NOTHING_RUN);

      const { below } = seeded(20_262);
      for (let round = 0; round < 60; round++) {
        const whole = joined(bare, exec);
        const at = below(whole.length);
        const was = whole[at] ?? 0;
        whole[at] = (was + 1 + below(255)) & 0xff;
        // The frame's own sum finds every change of one byte.
        const { code, out } = await launch(launcher, whole);
        assertEquals([code, out], [NOTHING_RUN, ""], `byte ${at}, round ${round}`);
      }
      for (let round = 0; round < 40; round++) {
        const changed = new Uint8Array(bare);
        changed[below(changed.length)] = below(256);
        new DataView(changed.buffer).setUint32(20, sumOf(changed), true);
        const { code } = await launch(launcher, joined(changed, exec));
        // Limits and folders may be others now; a crash is not among what may happen.
        assert(code < 128, `round ${round}: ${code}`);
      }
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});
