import { assert, assertEquals } from "@std/assert";
import type { Policy } from "../../../src/core/policy.ts";
import { bwrapArguments } from "../../../src/sandbox/confine/bwrap.ts";
import { mountsOf, type MountView } from "../../../src/sandbox/confine/mounts.ts";
import { DEFAULT_LIMITS } from "../../../src/sandbox/policy/limits.ts";

/** A disk that exists only here: folders by name with what is in them, `null` for files, a text for links. */
function imagined(entries: Readonly<Record<string, readonly string[] | string | null>>): MountView {
  const at = (path: string) => path in entries ? entries[path] : undefined;
  return {
    realPath: (path) => {
      const entry = at(path);
      return typeof entry === "string" ? `/${entry}` : entry === undefined ? undefined : path;
    },
    listFolder: (path) => {
      const entry = at(path);
      return typeof entry === "string" ? undefined : entry ?? undefined;
    },
    isFile: (path) => at(path) === null,
    readLink: (path) => {
      const entry = at(path);
      return typeof entry === "string" ? entry : undefined;
    },
  };
}

const DISK = imagined({
  "/": ["bin", "data", "home", "p", "root", "run", "swapfile", "tmp", "usr", "var"],
  "/home": ["u"],
  "/home/u": [".ssh", ".cargo", "w"],
  "/home/u/.ssh": ["known_hosts", "id"],
  "/home/u/.ssh/known_hosts": null,
  "/home/u/.cargo/bin": [],
  "/home/u/w": [".git", "a", "secrets"],
  "/home/u/w/.git": ["config", "hooks"],
  "/home/u/w/.git/config": null,
  "/home/u/w/.git/hooks": [],
  "/home/u/w/a": ["b"],
  "/home/u/w/a/b": ["key"],
  "/home/u/w/a/b/key": null,
  "/home/u/w/secrets": ["x"],
  "/root": [],
  "/run": [],
  "/usr": [],
  "/tmp": [],
  "/bin": "usr/bin",
  "/data": [],
  "/var": [],
  "/swapfile": null,
  "/p": ["tmp", "cache"],
  "/p/tmp": [],
  "/p/cache": [],
});

const POLICY: Policy = {
  root: "/home/u/w",
  home: "/home/u",
  tmp: "/p/tmp",
  cache: "/p/cache",
  read: { all: false, list: ["/home/u/w", "/p/tmp", "/p/cache", "/usr", "/home/u/.cargo/bin"] },
  write: { all: false, list: ["/home/u/w", "/p/tmp", "/p/cache"] },
  run: { all: true, list: [] },
  net: { all: false, list: [] },
  env: {},
  denyRead: ["/home/u/.ssh", "/home/u/w/secrets", "/home/u/w/a/b/key", "/home/u/w/absent"],
  denyWrite: ["/home/u/.ssh"],
  protected: ["/home/u/w/.git/config", "/home/u/w/.git/hooks", "/home/u/w/.envrc"],
  limits: DEFAULT_LIMITS,
  sandbox: "kernel+",
};

Deno.test("bwrapArguments() golden", () => {
  assertEquals(bwrapArguments(POLICY, ["/home/u/bin/sandpiper"], DISK).join(" ").split(/ (?=--)/), [
    "--dev /dev",
    "--proc /proc",
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--new-session",
    "--cap-drop ALL",
    "--unshare-net",
    "--symlink usr/bin /bin",
    "--dir /data",
    "--dir /home",
    "--dir /home/u",
    "--ro-bind /home/u/.cargo/bin /home/u/.cargo/bin",
    "--ro-bind /home/u/.ssh/known_hosts /home/u/.ssh/known_hosts",
    "--bind /home/u/w /home/u/w",
    "--bind /home/u/w/.git /home/u/w/.git",
    "--ro-bind-try /home/u/w/.git/config /home/u/w/.git/config",
    "--ro-bind-try /home/u/w/.git/hooks /home/u/w/.git/hooks",
    "--bind /home/u/w/a /home/u/w/a",
    "--bind /home/u/w/a/b /home/u/w/a/b",
    "--ro-bind /dev/null /home/u/w/a/b/key",
    "--tmpfs /home/u/w/secrets",
    "--dir /p",
    "--bind /p/cache /p/cache",
    "--bind /p/tmp /p/tmp",
    "--dir /root",
    "--dir /run",
    "--ro-bind /swapfile /swapfile",
    "--bind /p/tmp /tmp",
    "--ro-bind /usr /usr",
    "--dir /var",
    "--dir /home/u/w",
    "--remount-ro /",
    "--chdir /home/u/w",
    "--",
  ]);
});

Deno.test("bwrapArguments() keeps the machine's network for a granted one, and its disk for a granted disk", () => {
  const open = bwrapArguments({ ...POLICY, net: { all: true, list: [] } }, [], DISK);
  assert(!open.includes("--unshare-net"));
  const whole: Policy = { ...POLICY, read: { all: true, list: [] }, write: { all: true, list: [] } };
  const args = bwrapArguments(whole, [], DISK).join(" ");
  assert(args.startsWith("--bind / / "));
  assert(args.includes("--tmpfs /run") && !args.includes("--tmpfs /home "));
  assert(args.includes("--tmpfs /home/u/.ssh --ro-bind /home/u/.ssh/known_hosts"));
});

Deno.test("mountsOf() puts every mount after those around it, and each place once", () => {
  const mounts = mountsOf({ ...POLICY, write: { all: false, list: ["/home/u"] }, root: "/home/u" }, [], DISK);
  const places = mounts.map(([, path]) => path);
  assertEquals(new Set(places).size, places.length);
  for (const [at, path] of places.entries()) {
    assert(!places.slice(0, at).some((earlier) => earlier.startsWith(path + "/")), path);
  }
  // A home that is the workspace shows everything but the secrets.
  assertEquals(mounts.find(([, path]) => path === "/home/u"), ["write", "/home/u"]);
  assertEquals(mounts.find(([, path]) => path === "/home/u/.ssh"), ["masked", "/home/u/.ssh"]);
});

Deno.test("mountsOf() masks what is denied in a folder of /tmp that is shown, and nothing else there R459", () => {
  const view = imagined({
    "/": ["tmp", "usr"],
    "/usr": [],
    "/tmp": ["given", "else"],
    "/tmp/given": ["closed", "key", "open"],
    "/tmp/given/closed": [],
    "/tmp/given/key": null,
    "/tmp/else": ["closed"],
    "/tmp/else/closed": [],
    "/home/u/w": [],
    "/p/tmp": [],
    "/p/cache": [],
  });
  const read = { all: false, list: ["/tmp/given"] };
  const denyRead = ["/tmp/given/closed", "/tmp/given/key", "/tmp/else/closed"];
  const mounts = mountsOf({ ...POLICY, read, denyRead, protected: [] }, [], view);
  assertEquals(mounts.filter(([, path]) => path.startsWith("/tmp")), [
    ["temporary", "/tmp"],
    ["read", "/tmp/given"],
    ["masked", "/tmp/given/closed"],
    ["nothing", "/tmp/given/key"],
  ]);
});

Deno.test("mountsOf() makes a readable place in a writable folder no mount of its own, which would make it read-only", () => {
  const kindOf = (path: string, write: Policy["write"]): string | undefined =>
    mountsOf({ ...POLICY, write }, ["/home/u/w/program"], {
      ...DISK,
      realPath: (path) => path === "/home/u/w/program" ? path : DISK.realPath(path),
    }).find(([, at]) => at === path)?.[0];
  const above = { all: false, list: ["/home/u"] };
  assertEquals([kindOf("/home/u", above), kindOf("/home/u/w", above)], ["write", "write"]);
  assertEquals(kindOf("/home/u/.cargo/bin", above), undefined);
  const all = { all: true, list: [] };
  assertEquals([kindOf("/home/u/w", all), kindOf("/home/u/.cargo/bin", all)], ["write", "write"]);
  for (const write of [above, all, POLICY.write]) assertEquals(kindOf("/home/u/w/program", write), "read");
});

Deno.test("mountsOf() mounts no directory as a whole that has a covered one in it", () => {
  const view = imagined({
    "/": ["opt", "run", "usr"],
    "/opt": ["lib", "link", "users"],
    "/opt/lib": [],
    "/opt/link": "opt/lib",
    "/opt/users": ["note", "other", "u"],
    "/opt/users/note": null,
    "/opt/users/other": [],
    "/opt/users/u": ["w"],
    "/opt/users/u/w": [],
    "/run": ["user"],
    "/usr": [],
  });
  const scopes = { read: { all: false, list: ["/opt/users/u/w"] }, write: { all: false, list: [] }, denyRead: [] };
  const policy: Policy = { ...POLICY, ...scopes, home: "/opt/users/u", root: "/opt/users/u/w", protected: [] };
  const said = (changes: Partial<Policy>): readonly string[] =>
    mountsOf({ ...policy, ...changes }, [], view).map(([kind, path]) => `${kind} ${path}`);
  assertEquals(said({}), [
    "empty /",
    "empty /opt",
    "read /opt/lib",
    "link /opt/link",
    "empty /opt/users",
    "read /opt/users/note",
    "read /opt/users/other",
    "empty /opt/users/u",
    "read /opt/users/u/w",
    "empty /run",
    "temporary /tmp",
    "read /usr",
  ]);
  const all = { all: true, list: [] };
  assertEquals(said({ read: all }), ["empty /", "read /opt", "empty /run", "read /usr"]);
  assertEquals(said({ read: all, write: all }), ["write /", "empty /run", "temporary /tmp"]);
});

Deno.test("mountsOf() covers no home that lies in a folder which is granted", () => {
  const mounts = (read: readonly string[]): readonly string[] =>
    mountsOf({ ...POLICY, read: { all: false, list: [...POLICY.read.list, ...read] } }, [], DISK)
      .map(([kind, path]) => `${kind} ${path}`);
  assert(mounts([]).includes("empty /home/u") && mounts([]).includes("empty /home"));
  const whole = mounts(["/home"]);
  assert(!whole.some((mount) => /^empty \/home/.test(mount)), whole.join());
  assert(whole.includes("empty /var") && whole.includes("masked /home/u/w/secrets"));
});

Deno.test("mountsOf() gives commands no /tmp of their own where that would open what may only be written, nor in place of a grant", () => {
  const view = imagined({
    "/": ["home", "tmp"],
    "/home": ["u"],
    "/home/u": [],
    "/tmp": ["ws", "x"],
    "/tmp/ws": ["sub"],
    "/tmp/ws/sub": [],
    "/tmp/x": [],
    "/p/tmp": [],
    "/p/cache": [],
  });
  const kinds = (read: readonly string[], write: readonly string[]) => {
    const scopes = { read: { all: false, list: read }, write: { all: false, list: write } };
    const mounts = mountsOf({ ...POLICY, root: "/tmp/ws", ...scopes, protected: [], denyRead: [] }, [], view);
    return Object.fromEntries(mounts.filter(([, path]) => path.startsWith("/tmp")).map(([kind, path]) => [path, kind]));
  };
  assertEquals(kinds(["/tmp/ws"], ["/tmp/ws"]), { "/tmp": "temporary", "/tmp/ws": "write" });
  assertEquals(kinds(["/tmp/ws/sub"], ["/tmp/ws"]), { "/tmp": "empty", "/tmp/ws": "write" });
  assertEquals(kinds(["/tmp"], ["/tmp/ws"]), { "/tmp": "read", "/tmp/ws": "write" });
  // What a command wrote there would be in its own folder, and not where the grant says.
  const gone = ["/tmp/ws", "/tmp/gone", "/tmp/ws/new"];
  assertEquals(kinds(gone, gone), { "/tmp": "temporary", "/tmp/ws": "write", "/tmp/gone": "missing" });
});
