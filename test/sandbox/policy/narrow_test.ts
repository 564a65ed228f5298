import { assert, assertEquals } from "@std/assert";
import { covers, type Policy, type Scope } from "../../../src/core/policy.ts";
import { narrowPolicy, type NarrowRequest } from "../../../src/sandbox/policy/narrow.ts";

const POLICY: Policy = {
  root: "/ws",
  home: "/home/u",
  tmp: "/tmp/own",
  cache: "/cache/own",
  read: { all: false, list: ["/ws", "/srv/data", "/srv/out", "/usr", "/tmp/own", "/cache/own"] },
  write: { all: false, list: ["/ws", "/srv/out", "/tmp/own", "/cache/own"] },
  run: { all: true, list: [] },
  net: { all: false, list: ["example.com:443"] },
  env: {
    HOME: "/home/u",
    PATH: "/usr/bin",
    TMPDIR: "/tmp/own",
    XDG_CACHE_HOME: "/cache/own",
    DENO_DIR: "/cache/own/deno",
    GIT_CONFIG_GLOBAL: "/tmp/own/.gitconfig",
    TOKEN_OK: "x",
  },
  denyRead: ["/ws/secret"],
  denyWrite: ["/ws/secret", "/ws/fixed"],
  protected: ["/ws/.git/hooks", "/ws/.sandpiper"],
  limits: {
    bashTimeoutMs: 1,
    bashMaxTimeoutMs: 1,
    outputBytes: 1,
    outputLines: 1,
    fileBytes: 1,
    openFiles: 1,
    processes: 1,
    memoryBytes: 1,
  },
  sandbox: "kernel+",
};
/** Links: `/ws/link` leads out, `/ws/in` to another place inside. */
const LINKS: Readonly<Record<string, string>> = { "/ws/link": "/etc", "/ws/in": "/ws/src" };
const FACTS = { realPath: (path: string) => LINKS[path] ?? path, programs: ["/usr", "/opt/other"] };
const FOLDERS = { tmp: "/tmp/a1", cache: "/tmp/a1/cache" };

const narrow = (request: NarrowRequest, policy: Policy = POLICY): Policy => narrowPolicy(policy, request, FACTS);

const WRITES: readonly (readonly [wanted: readonly string[], has: readonly string[]])[] = [
  [["src"], ["/ws/src"]],
  [["."], ["/ws"]],
  [["/"], ["/ws", "/srv/out"]],
  [["../other", "/etc", "~"], []],
  [["link", "in"], ["/ws/src"]],
  [["../srv/out/deep"], ["/srv/out/deep"]],
  [["/srv/data"], []],
  [["secret/in", "fixed", ".sandpiper/agents", ".git/hooks/x", ".git/refs", "sub/.git/objects"], []],
  [["/tmp/own", "/tmp/own/x", "/cache/own"], []],
  [[], []],
];
for (const [wanted, has] of WRITES) {
  Deno.test(`narrowPolicy() of write ${JSON.stringify(wanted)} leaves ${JSON.stringify(has)}`, () => {
    const { write, read } = narrow({ write: wanted, folders: FOLDERS });
    assertEquals(write, { all: false, list: [...has, "/tmp/a1", "/tmp/a1/cache"] });
    assert(has.every((path) => covers(read, path)));
    assert(!read.list.includes("/tmp/own") && !read.list.includes("/cache/own"));
  });
}

Deno.test("narrowPolicy() of read keeps programs that the policy has, and what may be written", () => {
  const { read } = narrow({ read: ["docs", "/etc"], write: ["src"], folders: FOLDERS });
  assertEquals(read.list, ["/usr", "/ws/docs", "/ws/src", "/tmp/a1", "/tmp/a1/cache"]);
  assertEquals(narrow({ read: ["secret/a"] }).read.list.filter((path) => path.startsWith("/ws")), ["/ws"]);
});

Deno.test("narrowPolicy() of everything gives what was asked for, less what is denied", () => {
  const wide: Policy = { ...POLICY, read: { all: true, list: [] }, write: { all: true, list: [] } };
  assertEquals(narrow({ write: ["src", "secret"], read: ["docs"] }, wide).write, { all: false, list: ["/ws/src"] });
  assertEquals(narrow({ read: ["docs"], write: [] }, wide).read, {
    all: false,
    list: ["/ws/docs", "/usr", "/opt/other"],
  });
});

Deno.test("narrowPolicy() takes programs and hosts away, and adds none", () => {
  assertEquals(narrow({ run: false }).run, { all: false, list: [] });
  assertEquals(narrow({ net: ["example.com:443", "other.com"] }).net, { all: false, list: ["example.com:443"] });
  assertEquals(narrow({ net: [] }).net, { all: false, list: [] });
  const open: Policy = { ...POLICY, net: { all: true, list: [] } };
  assertEquals(narrow({ net: ["a.com"] }, open).net.list, ["a.com"]);
  // Where nothing can hold a list, some hosts are none.
  assertEquals(narrow({ net: ["a.com"] }, { ...open, sandbox: "kernel" }).net, { all: false, list: [] });
  assertEquals(narrow({ net: ["a.com"] }, { ...open, sandbox: "kernel", holdsHosts: true }).net.list, ["a.com"]);
});

Deno.test("narrowPolicy() moves the private folders, and changes nothing else", () => {
  const moved = narrow({ folders: FOLDERS });
  assertEquals(moved.env, {
    HOME: "/home/u",
    PATH: "/usr/bin",
    TMPDIR: "/tmp/a1",
    XDG_CACHE_HOME: "/tmp/a1/cache",
    DENO_DIR: "/tmp/a1/cache/deno",
    GIT_CONFIG_GLOBAL: "/tmp/a1/.gitconfig",
    TOKEN_OK: "x",
  });
  const { tmp, cache, env, read, write, besideOthers, ...rest } = moved;
  const { tmp: _t, cache: _c, env: _e, read: _r, write: _w, ...before } = POLICY;
  assertEquals(rest, before);
  assertEquals([tmp, cache, besideOthers], ["/tmp/a1", "/tmp/a1/cache", true]);
  assert(env && read && write);
  // Without anything to write or to run there is no private place either.
  assertEquals(narrow({ write: [], run: false, folders: FOLDERS }).write, { all: false, list: [] });
});

Deno.test("narrowPolicy() of nothing is the policy, and narrowing twice is never wider", () => {
  assertEquals(narrow({}), POLICY);
  const paths = [".", "src", "src/deep", "/", "/srv/out", "secret", "/etc", "in", "link"];
  const inside = (inner: Scope, outer: Scope): boolean =>
    inner.list.every((path) => FOLDERS.tmp === path || FOLDERS.cache === path || covers(outer, path));
  for (const first of paths) {
    for (const second of paths) {
      const once = narrow({ write: [first], read: [first] });
      const twice = narrow({ write: [second], read: [second], folders: FOLDERS }, once);
      assert(inside(once.write, POLICY.write) && inside(once.read, POLICY.read), first);
      assert(inside(twice.write, once.write) && inside(twice.read, once.read), `${first}, then ${second}`);
    }
  }
});
