import { assert, assertEquals, assertThrows } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import type { Policy } from "../../../src/core/policy.ts";
import { quoted, seatbeltCommand, seatbeltProfile } from "../../../src/sandbox/confine/seatbelt.ts";
import { shadowArguments } from "../../../src/sandbox/confine/seatbelt_exec.ts";
import { LIMITS } from "../shell_fixture.ts";

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
};

const view = { listFolder: (path: string) => path === "/Users/ann/.ssh" ? ["id", "id.pub", "known_hosts"] : undefined };

for (const [name, policy] of Object.entries(CASES)) {
  Deno.test(`seatbeltProfile() writes ${name}.sb`, () => {
    const profile = seatbeltProfile(policy, PROGRAM, view);
    const path = join(GOLDEN, `${name}.sb`);
    if (Deno.env.get("UPDATE_GOLDEN") === "1") Deno.writeTextFileSync(path, profile);
    assertEquals(profile, Deno.readTextFileSync(path));
  });

  Deno.test(`seatbeltProfile() denies after it allows, and balances its parentheses, in ${name}`, () => {
    const profile = seatbeltProfile(policy, PROGRAM, view);
    assert(profile.startsWith("(version 1)\n(deny default)\n"));
    const outside = profile.replace(/"(?:[^"\\]|\\.)*"/gs, '""').replace(/^;.*$/gm, "");
    assertEquals(outside.split("(").length, outside.split(")").length);
    // A rule without a filter holds for every path.
    for (const all of outside.matchAll(/^\(allow (file-\S+)\)$/gm)) assertEquals(all[0], "");
    assertEquals(/\(allow network/.test(profile), policy.net.all);
    // Of several rules that match the last one holds.
    const never = profile.slice(profile.indexOf("; never\n"));
    assertEquals(/\(allow file-write/.test(never), false);
    for (const path of [...policy.protected, ...policy.denyWrite]) assert(never.includes(`(subpath ${quoted(path)})`));
    for (const path of policy.denyRead) assert(never.includes(`(subpath ${quoted(path)})`));
  });
}

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
