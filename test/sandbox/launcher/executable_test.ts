import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { launcher, openExecutable } from "../../../src/sandbox/launcher/executable.ts";
import { IMAGES } from "../../../src/sandbox/launcher/image.ts";
import { CALLS, close, open, read, systemCall } from "../../../src/sandbox/system/ffi.ts";

const ignore = Deno.build.os !== "linux";
const path = (name: string): string => fromFileUrl(new URL(name, import.meta.url));
const [PROBE, WITHOUT, CONFIG] = [path("probe.ts"), path("../without_calls.ts"), path("../../../deno.json")];
const ALL = ["read", "write", "run", "env", "ffi"];

interface Found {
  readonly kind?: string;
  readonly program?: string;
  readonly code?: number;
  readonly error?: string;
  readonly exitCode?: number;
}

/** The probe's answer, and what it left in its temporary folder. */
function probe(
  options: {
    readonly allowed?: readonly string[];
    readonly refused?: number;
    readonly tmp?: string;
    readonly front?: readonly string[];
  },
): Found & { readonly left: readonly string[] } {
  const folder = Deno.makeTempDirSync();
  try {
    const { allowed = ALL, refused, tmp = folder, front = [] } = options;
    const run = (
      ...more: readonly string[]
    ) => [Deno.execPath(), "run", "--no-prompt", "--cached-only", "--config", CONFIG, ...more];
    const inner = run(...allowed.map((kind) => `--allow-${kind}`), PROBE);
    const whole = [
      ...front,
      ...(refused === undefined ? inner : [...run("-A", WITHOUT, String(refused), "13"), ...inner]),
    ];
    const [program = "", ...args] = whole;
    const env = {
      ...Deno.env.toObject(),
      TMPDIR: tmp,
      HOME: tmp,
      XDG_CACHE_HOME: tmp,
      XDG_RUNTIME_DIR: tmp,
      DENO_DIR: denoDir(),
    };
    const { stdout, stderr } = new Deno.Command(program, { args, env, clearEnv: true }).outputSync();
    const text = new TextDecoder().decode(stdout);
    assert(text.startsWith("{"), text + new TextDecoder().decode(stderr));
    return { ...JSON.parse(text), left: [...Deno.readDirSync(folder)].map(({ name }) => name) };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function denoDir(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

const MEMFD = CALLS.memfd_create[Deno.build.arch];

Deno.test({ name: "launcher() is a file in memory that nobody can change", ignore }, () => {
  const { kind, path } = launcher();
  const fd = Number(/^\/proc\/self\/fd\/(\d+)$/.exec(path())?.[1]);
  const [F_GETFD, F_GET_SEALS] = [1, 1034];
  assertEquals([kind, systemCall("fcntl", fd, F_GETFD), systemCall("fcntl", fd, F_GET_SEALS)], ["memory", 1, 0xf]);
  const [O_RDONLY, O_RDWR] = [0, 2];
  const [reading, writing] = [open(path(), O_RDONLY), open(path(), O_RDWR)];
  const bytes = new Uint8Array(1 << 16);
  assertEquals(bytes.subarray(0, read(reading, bytes)).toBase64(), IMAGES[Deno.build.arch].bytes);
  assert(systemCall("write", writing, bytes, 4) < 0);
  for (const fd of [reading, writing]) if (fd >= 0) close(fd);
  assertEquals(probe({}), { kind: "memory", program: probe({}).program ?? "", code: 71, left: [] });
});

Deno.test({ name: "launcher() is a private file whose name is gone where memory cannot be started", ignore }, () => {
  const { kind, program = "", code, left } = probe({ refused: MEMFD });
  assertEquals({ kind, code, left }, { kind: "file", code: 71, left: [] });
  assertMatch(program, /^\/proc\/self\/fd\/\d+$/);
});

Deno.test(
  { name: "launcher() is a private file in a process without foreign functions, gone when that ends", ignore },
  () => {
    const { kind, program = "", code, left } = probe({ allowed: ["read", "write", "run", "env"] });
    assertEquals({ kind, code, left }, { kind: "file", code: 71, left: [] });
    assertMatch(program, /\/sandpiper-(?:\d+-){0,3}launcher-[^/]+\/launcher$/);
  },
);

Deno.test(
  { name: "launcher() refuses with code 3 and all reasons where it can be started from nowhere", ignore },
  () => {
    for (const options of [{ refused: MEMFD }, { allowed: ["read", "write", "run", "env"] }]) {
      const { error = "", exitCode } = probe({ ...options, tmp: "/not/there" });
      assertEquals(exitCode, 3);
      assertMatch(error, options.refused === undefined ? /not\/there/ : /memory .*EACCES.*not\/there/);
    }
  },
);

Deno.test(
  { name: "launcher() finds a way where the system starts nothing from memory or a temporary folder", ignore },
  () => {
    const inside = (
      line: string,
      command: readonly string[],
    ): readonly string[] => ["unshare", "-Urmpf", "--mount-proc", "sh", "-c", `${line} && exec "$@"`, "sh", ...command];
    const can = (line: string): boolean => {
      const [program = "", ...args] = inside(line, ["true"]);
      return new Deno.Command(program, { args, stderr: "null" }).outputSync().success;
    };
    const tmp = Deno.makeTempDirSync();
    try {
      for (
        const [claim, line, kind] of [
          ["vm.memfd_noexec=2", "echo 2 > /proc/sys/vm/memfd_noexec", "file"],
          ["vm.memfd_noexec=1", "echo 1 > /proc/sys/vm/memfd_noexec", "memory"],
          ["both", `echo 2 > /proc/sys/vm/memfd_noexec && mount -t tmpfs -o noexec none ${tmp}`, undefined],
        ] as const
      ) {
        if (!can(line)) {
          console.log(`not tested: ${claim} cannot be set here`);
          continue;
        }
        const found = probe({ tmp, front: inside(line, []) });
        assertEquals(
          [found.kind, found.code, found.exitCode],
          kind ? [kind, 71, undefined] : [undefined, undefined, 3],
          claim,
        );
        if (!kind) assertMatch(found.error ?? "", /memory .*cannot be started \(.*[Pp]ermission/);
      }
    } finally {
      Deno.removeSync(tmp, { recursive: true });
    }
  },
);

Deno.test({ name: "openExecutable() starts nothing that was not built", ignore }, () => {
  const image = IMAGES[Deno.build.arch];
  assertThrows(() => openExecutable({ ...image, digest: "0" }), Error, "not what was built");
  assertThrows(() => openExecutable({ ...image, bytes: image.bytes.slice(4) }), Error, "not what was built");
});

Deno.test({ name: "launcher() leaves no folder where no more files can be opened", ignore }, async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const from = new URL("../../../src/sandbox/launcher/executable.ts", import.meta.url).href;
    const script = `
      import { launcher } from ${JSON.stringify(from)};
      try { for (;;) Deno.openSync("/dev/null"); } catch { /* none is left */ }
      try { launcher(); } catch (error) { console.log(error.exitCode); }`;
    Deno.writeTextFileSync(`${folder}/script.ts`, script);
    const tmp = `${folder}/tmp`;
    Deno.mkdirSync(tmp);
    const modules = Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
    const { stdout } = await new Deno.Command("bash", {
      args: [
        ...["-c", 'ulimit -n 200; exec "$0" run -A --no-check --config "$1" "$2"'],
        ...[Deno.execPath(), CONFIG, `${folder}/script.ts`],
      ],
      env: { TMPDIR: tmp, XDG_RUNTIME_DIR: tmp, XDG_CACHE_HOME: tmp, DENO_DIR: modules },
    }).output();
    assertEquals(new TextDecoder().decode(stdout), "3\n");
    assertEquals([...Deno.readDirSync(tmp)], []);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
