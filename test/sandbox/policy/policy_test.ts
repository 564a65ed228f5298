import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { dirname, join } from "@std/path";
import fc from "fast-check";
import { UserError } from "../../../src/core/error.ts";
import { isInside, type Policy, type Scope } from "../../../src/core/policy.ts";
import {
  type PolicyFacts,
  type PolicyRequest,
  resolvePolicy,
  type ScopeLayer,
  writeScope,
} from "../../../src/sandbox/policy/policy.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { makeWorld, type World } from "../confined_world.ts";

function facts(world: World, more: Partial<PolicyFacts> = {}): PolicyFacts {
  const { home, tmp, cache } = world;
  return { ...disk, home, tmp, cache, env: { PATH: "/usr/bin" }, skills: [], level: "kernel", ...more };
}

function resolve(world: World, request: Omit<PolicyRequest, "root">, more: Partial<PolicyFacts> = {}): Policy {
  return resolvePolicy({ root: world.root, ...request }, facts(world, more));
}

/** What a scope says about the test's own folders: paths below its base, from there. */
function below(world: World, scope: Scope): string[] {
  return scope.list.filter((path) => isInside(path, world.base)).map((path) => path.slice(world.base.length + 1))
    .sort();
}

/** Whether a path may be touched: denials beat grants. */
function touches(scope: Scope, denied: readonly string[], path: string): boolean {
  return (scope.all || scope.list.some((folder) => isInside(path, folder))) &&
    !denied.some((folder) => isInside(path, folder));
}

const NONE: Scope = { all: false, list: [] };
const ALL: Scope = { all: true, list: [] };

Deno.test("resolvePolicy() gives workspace, private places and programs by default (R456, R470)", () => {
  using world = makeWorld();
  const policy = resolve(world, {});
  assertEquals(below(world, policy.read), ["cache", "tmp", "work"]);
  assertEquals(below(world, policy.write), ["cache", "tmp", "work"]);
  assertEquals(policy.write.list.length, 3);
  assert(policy.read.list.includes("/usr"));
  assertEquals([policy.run, policy.net], [ALL, NONE]);
  assertEquals([policy.root, policy.home, policy.sandbox], [world.root, world.home, "kernel"]);
});

Deno.test("resolvePolicy() grants programs only where a kernel confines them", () => {
  using world = makeWorld();
  for (const level of ["kernel+", "kernel", "seatbelt"] as const) assertEquals(resolve(world, {}, { level }).run, ALL);
  for (const level of ["permissions", "off"] as const) {
    assertEquals(resolve(world, {}, { level }).run, NONE);
    assertEquals(resolve(world, { flags: { run: true } }, { level }).run, ALL);
  }
});

Deno.test("resolvePolicy() with --read-only has neither write nor run, whatever is allowed (R455, R456)", () => {
  using world = makeWorld();
  const policy = resolve(world, { readOnly: true, flags: { write: true, run: true }, user: { write: ["."] } });
  assertEquals([policy.write, policy.run], [NONE, NONE]);
  assertEquals(below(world, policy.read), ["cache", "tmp", "work"]);
});

/** [claim, request, what may be read, what may be written]. */
const MERGES: readonly (readonly [string, Omit<PolicyRequest, "root">, readonly string[], readonly string[]])[] = [
  ["flags replace the default, and what is written is read", { flags: { read: ["src"], write: ["out"] } }, [
    "work/out",
    "work/src",
  ], ["work/out"]],
  ["+ adds to the default", { flags: { read: ["+../outside"], write: ["+/srv/x", "+~/y"] } }, [
    "home/y",
    "outside",
    "work",
  ], ["home/y", "work"]],
  ["+ adds to a list", { flags: { write: ["out", "+../outside"] } }, ["outside", "work", "work/out"], [
    "outside",
    "work/out",
  ]],
  ["+ in a flag adds to the user's settings", { flags: { read: ["+docs"] }, user: { read: ["src"] } }, [
    "work/docs",
    "work/src",
  ], ["work"]],
  ["+ in the user's settings adds to the default", { user: { write: ["+../outside"] } }, ["outside", "work"], [
    "outside",
    "work",
  ]],
  [
    "a flag's list of writes replaces the settings', for reading too",
    { flags: { write: ["out"] }, user: { write: ["+../outside"] } },
    ["work", "work/out"],
    ["work/out"],
  ],
  [
    "a list of what is read is exact, whatever the settings say of writing",
    { flags: { read: ["src"] }, user: { write: ["+../outside"] } },
    ["work/src"],
    ["outside", "work"],
  ],
  ["+ does not widen in a project", { project: { read: ["+../outside"], write: ["+../outside"] } }, ["work"], ["work"]],
  ["what may not be written is not read for it", { readOnly: true, flags: { write: ["+../outside"] } }, ["work"], []],
  ["flags replace the user's settings", { flags: { read: ["src"] }, user: { read: ["docs"] } }, ["work/src"], ["work"]],
  ["the user may grant what is outside", { user: { read: [".", "../outside"] } }, ["outside", "work"], ["work"]],
  ["~ is the home", { flags: { read: ["~/shared"] } }, ["home/shared"], ["work"]],
  ["a project narrows the default", { project: { read: ["src"], write: [] } }, ["work/src"], []],
  ["a project does not widen the default", { project: { read: [".", "../outside", "/"], write: true } }, ["work"], [
    "work",
  ]],
  ["a project does not widen flags", { flags: { read: ["src"] }, project: { read: true } }, ["work/src"], ["work"]],
  ["a project's inner folder of a flag's", { flags: { read: ["."] }, project: { read: ["src/a"] } }, ["work/src/a"], [
    "work",
  ]],
  ["R458 .. in a project's scope", { project: { read: ["src/../../outside"] } }, [], ["work"]],
  ["a link that stays inside is the place it leads to", { flags: { read: ["in"] } }, ["work/src"], ["work"]],
  ["R461 what is not there yet below such a link", { flags: { write: ["in/new"] } }, ["work", "work/src/new"], [
    "work/src/new",
  ]],
  ["nothing for an empty list", { flags: { read: [], write: false } }, [], []],
  ["a denial of everything", { flags: { read: ["src"] }, project: { deny: { read: true, write: true } } }, [], []],
  ["a denial around a grant", { flags: { read: ["src/a"], deny: { read: ["src"] } } }, [], ["work"]],
  ["a denial through a link", { flags: { read: [".", "../outside"] }, user: { deny: { read: ["link"] } } }, ["work"], [
    "work",
  ]],
];

for (const [claim, request, read, write] of MERGES) {
  Deno.test(`resolvePolicy(): ${claim}`, () => {
    using world = makeWorld();
    for (const name of ["src/a", "docs", "out"]) Deno.mkdirSync(join(world.root, name), { recursive: true });
    Deno.symlinkSync(world.outside, join(world.root, "link"));
    Deno.symlinkSync("src", join(world.root, "in"));
    const policy = resolve(world, request);
    const own = (scope: Scope): string[] => below(world, scope).filter((path) => path !== "tmp" && path !== "cache");
    assertEquals({ read: own(policy.read), write: own(policy.write) }, { read: [...read], write: [...write] });
  });
}

Deno.test("resolvePolicy() R460 rejects a grant inside the workspace that a link leads out of it, in every layer", () => {
  using world = makeWorld();
  Deno.symlinkSync(world.outside, join(world.root, "link"));
  for (const entry of ["link", "link/new", "./link/", "+link", "a/../link", join(world.root, "link")]) {
    for (
      const request of [{ flags: { read: [entry] } }, { user: { write: [entry] } }, { project: { read: [entry] } }]
    ) {
      const error = assertThrows(() => resolve(world, request), UserError, world.outside);
      assertEquals(error.exitCode, 2);
    }
  }
});

const entry = fc.constantFrom(".", "a", "a/b", "a/../..", "../x", "/", "b", "link", "~", "a/b/c", "/etc", "~/.ssh");
const written = fc.oneof(fc.boolean(), fc.array(entry, { maxLength: 3 }));
const layer: fc.Arbitrary<ScopeLayer> = fc.record({
  read: written,
  write: written,
  deny: fc.record({ read: fc.array(entry, { maxLength: 2 }), write: fc.array(entry, { maxLength: 2 }) }, {
    requiredKeys: [],
  }),
}, { requiredKeys: [] });

/** A disk that exists only here: one link, everything else as it is called. */
const imagined: PolicyFacts = {
  home: "/home/u",
  tmp: "/private/tmp",
  cache: "/private/cache",
  env: {},
  skills: [],
  level: "kernel",
  realPath: (path) => path === "/w/link" || path.startsWith("/w/link/") ? path.replace("/w/link", "/w/b") : path,
  listFolder: () => undefined,
  readText: () => undefined,
};

const PLACES = [
  "/w",
  "/w/a",
  "/w/a/b",
  "/w/b",
  "/w/a/b/c/d",
  "/x",
  "/elsewhere/f",
  "/home/u/f",
  "/home/u/.ssh/id",
  "/etc/f",
  "/",
];

Deno.test("resolvePolicy() is never wider than any layer, and every denial wins", () => {
  fc.assert(
    fc.property(layer, layer, layer, (flags, user, project) => {
      const alone = (one: ScopeLayer): Policy => resolvePolicy({ root: "/w", flags: one }, imagined);
      const merged = resolvePolicy({ root: "/w", flags, user, project }, imagined);
      // The layer that decides what is wanted, the project's own list, and the project left out.
      const bounds = [
        resolvePolicy({ root: "/w", flags, user }, imagined),
        ...(project.read !== undefined && project.write !== undefined ? [alone(project)] : []),
      ];
      for (const kind of ["read", "write"] as const) {
        const denied = kind === "read" ? "denyRead" : "denyWrite";
        for (const place of PLACES) {
          const may = touches(merged[kind], merged[denied], place);
          for (const bound of bounds) assert(!may || touches(bound[kind], bound[denied], place), `${kind} ${place}`);
          for (const one of [flags, user, project]) {
            const list = resolvePolicy({ root: "/w", user: { deny: one.deny ?? {} } }, imagined)[denied];
            assert(!may || !list.some((folder) => isInside(place, folder)), `denied ${kind} ${place}`);
          }
        }
        assert(!touches(merged[kind], merged[denied], "/home/u/.ssh/id"));
      }
    }),
    { numRuns: 100 },
  );
});

/** Asserts that `writeScope()` has what the policy has without its private directories, and beside it only places that are always denied. */
function assertSameWriteScope(request: PolicyRequest, facts: PolicyFacts): void {
  const { write } = resolvePolicy(request, facts);
  const { denyWrite } = resolvePolicy({ root: request.root }, facts);
  const { home, env, realPath, listFolder, readText } = facts;
  const { all, list } = writeScope(request, { home, env, realPath, listFolder, readText });
  const open = list.filter((path) => !denyWrite.some((denied) => isInside(path, denied)));
  const own = write.list.filter((path) => path !== facts.tmp && path !== facts.cache);
  assertEquals({ all, list: open }, { all: write.all, list: own });
}

Deno.test("writeScope() is the write scope of resolvePolicy()", () => {
  fc.assert(
    fc.property(layer, layer, layer, layer, fc.boolean(), (flags, user, project, allowed, isNarrow) => {
      const { read = false, write = false } = allowed;
      const layers = { flags, user, project, allowed: { read, write } };
      const request = { root: "/w", ...layers, ...(isNarrow ? { readOnly: true } : {}) };
      assertSameWriteScope(request, imagined);
      const { deny = {} } = flags;
      const ceiling = { write: ["a", "../x"], name: "packed", readOnly: isNarrow };
      assertSameWriteScope({ ...request, flags: { deny }, readOnly: false, ceiling }, imagined);
    }),
    { numRuns: 100 },
  );
});

Deno.test("writeScope() has the repository of a linked working directory", () => {
  using world = makeWorld();
  const git = join(world.outside, "repo/.git");
  const own = join(git, "worktrees/work");
  Deno.mkdirSync(own, { recursive: true });
  for (const name of ["objects", "refs", "logs"]) Deno.mkdirSync(join(git, name));
  Deno.writeTextFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
  Deno.writeTextFileSync(join(world.root, ".git"), `gitdir: ${own}\n`);
  Deno.writeTextFileSync(join(own, "gitdir"), `${world.root}/.git\n`);
  Deno.writeTextFileSync(join(own, "commondir"), "../..\n");
  const request = { root: world.root };
  const { list } = writeScope(request, facts(world));
  assert(list.includes(join(git, "objects")), list.join(" "));
  assertSameWriteScope(request, facts(world));
  assertSameWriteScope({ ...request, readOnly: true }, facts(world));
});

Deno.test("resolvePolicy() denies secrets whatever is allowed, also where a link leads to them", () => {
  using world = makeWorld();
  Deno.mkdirSync(join(world.outside, "keys"));
  Deno.symlinkSync(join(world.outside, "keys"), join(world.home, ".ssh"));
  const policy = resolve(world, { flags: { read: true, write: true } });
  const places = [
    join(world.home, ".ssh/id"),
    join(world.outside, "keys/id"),
    join(world.home, ".aws/credentials"),
    join(world.home, ".netrc"),
    join(world.home, ".config/gh/hosts.yml"),
    join(world.home, ".cargo/credentials.toml"),
    join(world.home, ".sandpiper/agent/sessions/1"),
    join(world.home, ".aliyun/config.json"),
    join(world.home, ".local/share/kwalletd/kdewallet.kwl"),
    join(world.home, ".var/app/org.mozilla.firefox/x"),
    ...["opera", "BraveSoftware", "microsoft-edge"].map((name) => join(world.home, ".config", name, "Cookies")),
    ...["Keychains/login.keychain-db", "Cookies/Cookies.binarycookies", "Safari/History.db"]
      .map((name) => join(world.home, "Library", name)),
    join(world.home, "Library/Containers/com.apple.Safari/Data/x"),
    ...["Google/Chrome", "Firefox", "BraveSoftware", "Microsoft Edge"]
      .map((name) => join(world.home, "Library/Application Support", name, "Default/Login Data")),
    "/etc/shadow",
  ];
  for (const place of places) {
    assert(!touches(policy.read, policy.denyRead, place), place);
    assert(!touches(policy.write, policy.denyWrite, place), place);
  }
  // What lies beside a store is none.
  const open = ["notes", ".config/nvim/init.lua", ".local/share/man", "Library/Caches/pip", "Library/pnpm/store"];
  for (const name of [...open, "Library/Application Support/Code/User/settings.json"]) {
    assert(touches(policy.read, policy.denyRead, join(world.home, name)), name);
  }
});

Deno.test("resolvePolicy() lets a skill be read inside the agent's own folder, and nothing beside it (R476)", () => {
  using world = makeWorld();
  const skill = join(world.home, ".sandpiper/agent/skills/one");
  Deno.mkdirSync(skill, { recursive: true });
  Deno.mkdirSync(join(world.home, ".sandpiper/agent/sessions"));
  const policy = resolve(world, {}, { skills: [skill] });
  assert(touches(policy.read, policy.denyRead, join(skill, "SKILL.md")));
  assert(!touches(policy.read, policy.denyRead, join(world.home, ".sandpiper/agent/sessions/s")));
  assert(!touches({ all: true, list: [] }, policy.denyWrite, join(skill, "SKILL.md")));
});

Deno.test("resolvePolicy() refuses to work inside a folder of secrets", () => {
  using world = makeWorld();
  const root = join(world.home, ".aws/project");
  Deno.mkdirSync(root, { recursive: true });
  const error = assertThrows(() => resolvePolicy({ root }, facts(world)), UserError);
  assertEquals(error.exitCode, 3);
});

Deno.test("resolvePolicy() opens of a home programs alone, and nothing that a person or a shell writes there", () => {
  using world = makeWorld();
  const written = [
    ..."bashrc bash_profile bash_aliases profile zshrc zshenv inputrc gitconfig condarc editorconfig vimrc".split(" ")
      .map((name) => `.${name}`),
    ...".config/git/config .config/git/ignore .cargo/config.toml .cargo/config .cargo/env .cargo/credentials.toml"
      .split(" "),
    ...".nvm/.npmrc .pyenv/x .rustup/x .deno/x .bun/x .local/share/uv/credentials/c .volta/hooks.json go/x".split(" "),
    ...".sdkman/etc/config .gradle/init.gradle .m2/x miniconda3/.condarc miniconda3/etc/conda/activate.d/keys.sh".split(
      " ",
    ),
    ...".local/share/mise/x .local/share/keyrings/x .opam/default/etc/x tool/.env tool/config.toml sdk/go1/.env".split(
      " ",
    ),
  ];
  const programs = [
    ...".cargo/bin/cargo .cargo/registry/src/x/lib.rs .nvm/versions/v1/bin/node go/pkg/mod/x/x.go".split(" "),
    ...".rustup/toolchains/s/rustc .rustup/settings.toml .local/share/uv/tools/ruff/bin/ruff".split(" "),
    ..."miniconda3/bin/conda miniconda3/envs/a/lib/x .opam/default/bin/ocaml tool/app/bin/app tool/app/lib/x".split(
      " ",
    ),
    ..."sdk/go1/bin/go sdk/go1/src/x sdk/go1/VERSION bin/own .local/bin/own .pyenv/versions/3/bin/python".split(" "),
  ];
  for (const name of [...written, ...programs, "tool/app/.env", "tool/app/src/keys.ts"]) {
    Deno.mkdirSync(dirname(join(world.home, name)), { recursive: true });
    Deno.writeTextFileSync(join(world.home, name), "");
  }
  const entries = [".cargo/bin", "tool/app/bin", "sdk/go1/bin", "bin"].map((name) => join(world.home, name));
  const policy = resolve(world, {}, { env: { PATH: ["/usr/bin", ...entries].join(":") } });
  const open = (name: string): boolean => touches(policy.read, policy.denyRead, join(world.home, name));
  assertEquals(programs.filter((name) => !open(name)), []);
  assertEquals([...written, "tool/app/.env", "tool/app/src/keys.ts"].filter(open), []);
});

Deno.test("resolvePolicy() never lets the program that confines be written", () => {
  using world = makeWorld();
  const program = [join(world.root, "sandpiper")];
  const policy = resolve(world, {}, { program });
  assert(!touches(policy.write, policy.denyWrite, join(world.root, "sandpiper")));
});

Deno.test("resolvePolicy() never lets what the program unpacked be written: later sessions tell their models of it", () => {
  using world = makeWorld();
  const unpacked = [join(world.home, ".cache/sandpiper/12345678")];
  Deno.mkdirSync(unpacked[0] ?? "", { recursive: true });
  for (
    const request of [
      { flags: { write: true } },
      { flags: { write: ["~"] } },
      { flags: { write: ["~/.cache/sandpiper/12345678"] } },
      { root: world.home },
    ]
  ) {
    const { write, denyWrite, protected: kept } = resolvePolicy(
      { root: world.root, ...request },
      facts(world, { unpacked }),
    );
    assertEquals(touches(write, denyWrite, `${unpacked[0]}/commit/SKILL.md`), false);
    assert(kept.includes(unpacked[0] ?? ""), "what a kernel cannot close is watched");
  }
  const { denyWrite } = resolve(world, {}, { unpacked });
  assertEquals(denyWrite.includes(unpacked[0] ?? ""), false, "nothing has to be closed that is not open");
});

Deno.test("resolvePolicy() keeps tools from sessions and audit, whatever is allowed and however one gets there R478", () => {
  using world = makeWorld();
  const [sessions, link, audit] = ["kept/sessions", "link", "audit"].map((name) => join(world.root, name)) as [
    string,
    string,
    string,
  ];
  Deno.symlinkSync(world.outside, link);
  const kept = [sessions, join(link, "sessions"), audit, join(world.home, ".sandpiper/agent/audit")];
  for (const flags of [{}, { read: true, write: true }] as const) {
    const { read, write, denyRead, denyWrite } = resolve(world, { flags }, { kept });
    for (const path of [sessions, audit, join(link, "sessions"), join(world.outside, "sessions")]) {
      assert(!touches(read, denyRead, join(path, "s.jsonl")));
      assert(!touches(write, denyWrite, join(path, "s.jsonl")));
    }
    assert(touches(write, denyWrite, join(world.root, "kept/other")));
    // The home's denial has it already.
    assert(!denyRead.includes(join(world.home, ".sandpiper/agent/audit")));
  }
});

Deno.test("resolvePolicy() keeps tools from sessions beside a skill, also before there are any R478", () => {
  using world = makeWorld();
  const skill = join(world.home, ".sandpiper/agent/skills/one");
  Deno.mkdirSync(skill, { recursive: true });
  const sessions = join(world.home, ".sandpiper/agent/sessions");
  const { denyRead } = resolve(world, {}, { skills: [skill], kept: [sessions] });
  assert(!touches(ALL, denyRead, join(sessions, "s.jsonl")));
  assert(touches(ALL, denyRead, join(skill, "SKILL.md")));
});

Deno.test("resolvePolicy() refuses sessions among the files of the tools R478", () => {
  using world = makeWorld();
  const error = assertThrows(() => resolve(world, {}, { kept: [world.root] }), UserError);
  assertStringIncludes(error.message, `Cannot keep sessions in ${world.root}`);
  assertThrows(() => resolve(world, { flags: { read: true } }, { kept: [world.base] }), UserError);
  // Out of their scope it harms nothing that the workspace lies in it.
  assert(!resolve(world, {}, { kept: [world.base] }).denyRead.includes(world.base));
});

Deno.test("resolvePolicy() refuses hosts by list with the reason, and takes all or nothing", () => {
  using world = makeWorld();
  assertEquals(resolve(world, { flags: { net: true } }).net, ALL);
  assertEquals(resolve(world, { flags: { net: true }, project: { net: false } }).net, NONE);
  assertEquals(resolve(world, { project: { net: ["example.com"] } }).net, NONE);
  assertEquals(resolve(world, { flags: { net: true, deny: { net: true } } }).net, NONE);
  const error = assertThrows(() => resolve(world, { flags: { net: ["example.com:443"] } }), UserError);
  assertEquals(error.exitCode, 3);
  assertStringIncludes(error.message, "example.com:443");
  assertThrows(() => resolve(world, { flags: { net: true, deny: { net: ["a.com"] } } }), UserError);
});

Deno.test("resolvePolicy() takes programs by list and cannot deny single ones to a shell", () => {
  using world = makeWorld();
  assertEquals(resolve(world, { flags: { run: ["git", "deno"] }, project: { run: ["git", "sh"] } }).run.list, ["git"]);
  assertEquals(resolve(world, { flags: { run: ["git", "deno"], deny: { run: ["git"] } } }).run.list, ["deno"]);
  assertThrows(() => resolve(world, { user: { deny: { run: ["curl"] } } }), UserError, "curl");
});

Deno.test("resolvePolicy() refuses a workspace that is not there and paths that mean nothing", () => {
  using world = makeWorld();
  assertThrows(() => resolvePolicy({ root: join(world.base, "no") }, facts(world)), UserError, "workspace");
  assertThrows(() => resolve(world, { flags: { read: [""] } }), UserError, "empty");
  assertThrows(() => resolve(world, { flags: { read: ["a\0b"] } }), UserError, "NUL");
});
