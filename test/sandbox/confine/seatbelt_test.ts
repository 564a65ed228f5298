import { assertEquals, assertThrows } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import type { Policy } from "../../../src/core/policy.ts";
import { quoted, seatbeltCommand, seatbeltProfile } from "../../../src/sandbox/confine/seatbelt.ts";
import { shadowArguments } from "../../../src/sandbox/confine/seatbelt_exec.ts";
import { LIMITS } from "../shell_fixture.ts";
import { allows, parse, readProfile } from "./profile_language.ts";

const GOLDEN = join(dirname(dirname(dirname(fromFileUrl(import.meta.url)))), "golden/seatbelt");
const ROOT = "/Users/ann/project";
const TMP = "/private/var/folders/xy/T/sandpiper-1";
const CACHE = "/Users/ann/.cache/sandpiper/tools/0";
const PROGRAM = ["/usr/local/bin/sandpiper"];

const POLICY: Policy = {
  root: ROOT,
  home: "/Users/ann",
  tmp: TMP,
  cache: CACHE,
  read: { all: false, list: [ROOT, TMP, CACHE, "/Users/ann/.cargo/bin"] },
  write: { all: false, list: [ROOT, TMP, CACHE] },
  run: { all: true, list: [] },
  net: { all: false, list: [] },
  env: { PATH: "/usr/bin:/bin" },
  denyRead: ["/Users/ann/.ssh", "/Users/ann/.aws"],
  denyWrite: ["/Users/ann/.ssh", "/Users/ann/.aws", "/usr/local/bin/sandpiper"],
  protected: [`${ROOT}/.envrc`, `${ROOT}/.git/config`, `${ROOT}/.git/hooks`],
  limits: LIMITS,
  sandbox: "seatbelt",
};

const NOTHING = { all: false, list: [] };
const CASES: Readonly<Record<string, Policy>> = {
  workspace: POLICY,
  network: { ...POLICY, net: { all: true, list: [] } },
  read_only: { ...POLICY, write: NOTHING, run: NOTHING },
  nothing: { ...POLICY, read: NOTHING, write: NOTHING, run: NOTHING },
  everything: { ...POLICY, read: { all: true, list: [] }, write: { all: true, list: [] } },
  odd_names: {
    ...POLICY,
    root: '/Users/ann/a "b" \\c',
    read: { all: false, list: ['/Users/ann/a "b" \\c', "/Users/ann/new\nline", "/Users/ann/é ü"] },
    write: { all: false, list: ['/Users/ann/a "b" \\c'] },
    protected: ['/Users/ann/a "b" \\c/.git/config'],
  },
  granted: {
    ...POLICY,
    read: { all: false, list: [...POLICY.read.list, "/Users/ann/data", "/Volumes/disk"] },
    write: { all: false, list: [...POLICY.write.list, "/Users/ann/out"] },
  },
  home_workspace: {
    ...POLICY,
    root: "/Users/ann",
    read: { all: false, list: ["/Users/ann", TMP, CACHE] },
    write: { all: false, list: ["/Users/ann", TMP, CACHE] },
    protected: ["/Users/ann/.zshrc", "/Users/ann/Library/LaunchAgents", "/Users/ann/.git/hooks"],
  },
  reading_only_network: { ...POLICY, write: NOTHING, run: NOTHING, net: { all: true, list: [] } },
  everything_but_writing: { ...POLICY, read: { all: true, list: [] }, write: NOTHING, net: { all: true, list: [] } },
};

const view = { listFolder: (path: string) => path === "/Users/ann/.ssh" ? ["id", "id.pub", "known_hosts"] : undefined };

for (const [name, policy] of Object.entries(CASES)) {
  Deno.test(`seatbeltProfile() writes ${name}.sb`, () => {
    const profile = seatbeltProfile(policy, PROGRAM, view);
    const path = join(GOLDEN, `${name}.sb`);
    if (Deno.env.get("UPDATE_GOLDEN") === "1") Deno.writeTextFileSync(path, profile);
    assertEquals(profile, Deno.readTextFileSync(path));
  });

  Deno.test(`seatbeltProfile() is text of the profiles' language, and decides as the policy does, in ${name}`, () => {
    const rules = readProfile(seatbeltProfile(policy, PROGRAM, view));
    // A rule of files or services without a filter holds for all of them.
    for (const { operations, filters } of rules) {
      assertEquals(
        filters.length === 0 && operations.some((one) => /^(?:file|mach)/.test(one)),
        false,
        operations.join(),
      );
    }
    assertEquals(rules.some(({ operations }) => operations.some((one) => one.startsWith("network"))), policy.net.all);
    const decides = (path: string) =>
      ["file-read-data", "file-write-data", "file-write-unlink"].map((one) => allows(rules, one, path));
    const { read, write, denyRead, denyWrite, protected: guarded } = policy;
    const of = (scope: { readonly all: boolean; readonly list: readonly string[] }, path: string) =>
      scope.all || scope.list.some((folder) => path.startsWith(folder));
    for (
      const path of [
        "/Users/ann/project/src/a.ts",
        "/Users/ann/other/b",
        "/Users/ann/data/c",
        "/Volumes/disk/d",
        "/Users/bob/e",
      ]
    ) {
      assertEquals(decides(path), [of(read, path), of(write, path), of(write, path)], path);
    }
    for (const path of [...denyWrite, ...guarded]) {
      for (const one of [path, `${path}/below`]) assertEquals(decides(one).slice(1), [false, false], one);
    }
    for (const path of denyRead) assertEquals(decides(`${path}/id`)[0], false, path);
    assertEquals(decides("/Users/ann/.ssh/id.pub"), [read.all || read.list.length > 0, false, false]);
    // A folder around what is protected stays where it is.
    for (const path of guarded) assertEquals(decides(dirname(path))[2], false, path);
    assertEquals([decides("/dev/null").slice(0, 2), decides("/dev/disk0"), decides("/private/tmp/x").slice(1)], [
      [true, true],
      [false, false, false],
      [false, false],
    ]);
  });
}

Deno.test("readProfile() refuses what Apple's language does not have", () => {
  const begin = "(version 1)\n(deny default)\n";
  const wrong = [
    "(allow file-raed*)",
    '(allow file-read* (subpaht "/a"))',
    '(allow file-read* (subpath "a"))',
    '(allow file-read* (subpath "/a/"))',
    '(allow file-read* (subpath "/a/../b"))',
    '(allow mach-lookup (subpath "/a"))',
    "(allow signal (target everybody))",
    "(permit file-read*)",
    "(allow)",
    "(allow file-read* (require-all))",
    '(allow file-read* (literal "/a" "/b"))',
    '(allow file-read* (literal "/a\\x41"))',
    "(allow default)",
    "(allow file-read*",
    "(allow file-read*))",
    "(allow file-read* [x])",
  ];
  for (const rule of wrong) assertThrows(() => readProfile(begin + rule), Error);
  assertThrows(() => readProfile("(version 1)\n(allow default)\n"), Error, "denied first");
  assertEquals(parse('(a "b\\n" #"^c$") ; d'), [["a", { text: "b\n" }, { regex: "^c$" }]]);
});

Deno.test("quoted() keeps a path inside of its string", () => {
  assertEquals(quoted('a"b'), '"a\\"b"');
  assertEquals(quoted("a\\"), '"a\\\\"');
  assertEquals(quoted('")(allow default)("'), '"\\")(allow default)(\\""');
  assertEquals(quoted("a\nb\rc\td"), '"a\\nb\\rc\\td"');
  assertThrows(() => quoted("a\0b"), Error, "control");
  assertThrows(() => quoted("a\x1bb"), Error, "control");
});

Deno.test("seatbeltCommand() starts sandbox-exec, and nothing without it", () => {
  const self = { program: "/usr/local/bin/sandpiper", args: [], env: { A: "b" }, readPaths: PROGRAM, standalone: true };
  const { program, args, env } = seatbeltCommand(POLICY, self, ["--internal-exec"], view);
  assertEquals({ program, args, env }, {
    program: "/usr/bin/sandbox-exec",
    args: ["-p", seatbeltProfile(POLICY, PROGRAM, view), "/usr/local/bin/sandpiper", "--internal-exec"],
    env: { A: "b" },
  });
});

Deno.test("shadowArguments() give the command its words, limits and streams", () => {
  const order = { cwd: "/", limits: { fileBytes: 1024 * 1024 * 1024, openFiles: 256, tasks: 512 }, kernel: null };
  const exec = {
    argv: ["/bin/sh", "-c", 'echo "$0" one >&2; ulimit -n', "a b'"],
    env: {},
    cwd: "/",
    stdin: "null",
    mergeOutput: true,
  } as const;
  // Any POSIX shell reads it alike, but for the size of its blocks.
  const { stdout, code } = new Deno.Command("/bin/sh", { args: shadowArguments(order, exec), clearEnv: true })
    .outputSync();
  assertEquals([new TextDecoder().decode(stdout), code], ["a b' one\n256\n", 0]);
});
