import { assert, assertEquals, assertThrows } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { isInside, type Policy, type SandboxLevel, type Scope } from "../../../src/core/policy.ts";
import { allowsHost, parseRule } from "../../../src/sandbox/policy/net_rules.ts";
import { type PolicyRequest, resolvePolicy, type ScopeLayer } from "../../../src/sandbox/policy/policy.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { rounds } from "../../helpers/rounds.ts";
import { type Seeded, seeded } from "../../helpers/seeded.ts";
import { makeWorld, type World } from "../confined_world.ts";

type Request = Omit<PolicyRequest, "root">;
type Ceiling = NonNullable<PolicyRequest["ceiling"]>;

function resolve(world: World, request: Request, level: SandboxLevel = "kernel+"): Policy {
  const { root, home, tmp, cache } = world;
  const env = { PATH: "/usr/bin", TOKEN: "x", OTHER: "y" };
  return resolvePolicy({ root, ...request }, { ...disk, home, tmp, cache, env, skills: [], level });
}

const PATHS = [".", "src", "src/inner", "out", "..", "/", "/etc", "/usr/share", "~", "~/notes", "+/srv", "+src"];
const NAMES = {
  run: ["git", "deno", "/bin/ls"],
  net: ["a.test", "*.a.test", "b.test:443", "127.0.0.1"],
  env: ["TOKEN"],
};

function someLayer(random: Seeded): ScopeLayer {
  const some = <T>(list: readonly T[]): T[] => list.filter(() => random.chance(0.3));
  const scope = (list: readonly string[]): boolean | string[] => random.chance(0.2) ? random.chance(0.5) : some(list);
  return {
    ...(random.chance(0.5) ? { read: scope(PATHS) } : {}),
    ...(random.chance(0.5) ? { write: scope(PATHS) } : {}),
    ...(random.chance(0.4) ? { run: scope(NAMES.run) } : {}),
    ...(random.chance(0.4) ? { net: scope(NAMES.net) } : {}),
    ...(random.chance(0.4) ? { env: scope(NAMES.env) } : {}),
    ...(random.chance(0.2) ? { deny: { read: some(["src", "/etc"]), write: some(["out"]) } } : {}),
  };
}

/** What of a scope another one does not cover. */
function beyond(scope: Scope, around: Scope, covers: (entry: string, around: Scope) => boolean): string[] {
  if (around.all) return [];
  return [...scope.all ? ["everything"] : [], ...scope.list.filter((entry) => !covers(entry, around))];
}

const inFolder = (path: string, { list }: Scope): boolean => list.some((folder) => isInside(path, folder));
const named = (name: string, { list }: Scope): boolean => list.includes(name);
const hosted = (host: string, { list }: Scope): boolean => {
  const { host: wanted, port, below } = parseRule(host);
  return list.includes(host) || (!below && allowsHost(list.map(parseRule), wanted, port ?? 443));
};

Deno.test("resolvePolicy() under a ceiling has nothing that the ceiling alone has not, whatever all other layers say", () => {
  using world = makeWorld();
  let wider = 0;
  let refused = 0;
  for (let round = 0; round < rounds(120); round++) {
    const random = seeded(round);
    const ceiling: Ceiling = { ...someLayer(random), name: "acme", readOnly: random.chance(0.1) };
    const layers = () => random.chance(0.5) ? someLayer(random) : undefined;
    const { deny: _one, env: _two, ...grants } = someLayer(random);
    const given = {
      flags: layers(),
      user: layers(),
      project: layers(),
      allowed: random.chance(0.3) ? grants : undefined,
    };
    const request = Object.fromEntries(Object.entries(given).filter(([, layer]) => layer !== undefined));
    let top: Policy;
    try {
      top = resolve(world, { ceiling });
    } catch (error) {
      if (error instanceof UserError) continue; // such a ceiling is none
      throw error;
    }
    let policy: Policy;
    try {
      policy = resolve(world, { ...request, grants: random.chance(0.5) ? grants : {}, ceiling });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error.exitCode === 3 && error.message.includes("acme")) refused++;
      continue;
    }
    const more = [
      ...beyond(policy.read, top.read, inFolder),
      ...beyond(policy.write, top.write, inFolder),
      ...beyond(policy.run, top.run, named),
      ...beyond(policy.net, top.net, hosted),
      ...top.denyRead.filter((path) => !policy.denyRead.includes(path)),
      ...Object.keys(policy.env).filter((name) => ["TOKEN", "OTHER"].includes(name) && !(name in top.env)),
    ];
    assertEquals(more, [], `round ${round}: ${JSON.stringify({ ceiling, ...request })}`);
    try {
      const free = resolve(world, request);
      if (beyond(free.read, top.read, inFolder).length + beyond(free.write, top.write, inFolder).length > 0) wider++;
    } catch {
      // Without the ceiling it may be none.
    }
  }
  // The rounds are about something.
  assert(wider > 10 && refused > 10, `${wider} would have been wider, ${refused} were refused`);
});

/** [claim, ceiling, flags, what is refused of them: nothing where it narrows]. */
const FLAGS: readonly (readonly [string, ScopeLayer, ScopeLayer, string?])[] = [
  ["a folder within", { write: ["src"] }, { write: ["src/inner"] }],
  ["the same again", { write: ["src"] }, { write: ["src"] }],
  ["nothing", { net: true }, { net: [] }],
  ["some hosts of all", { net: true }, { net: ["a.test"] }],
  ["a host below", { net: ["*.a.test"] }, { net: ["b.a.test"] }],
  ["a folder beside", { write: ["src"] }, { write: ["out"] }, "--allow-write"],
  ["one of several", { write: ["src"] }, { write: ["src/inner", "out"] }, "--allow-write"],
  ["one that is added", {}, { read: ["+/etc"] }, "--allow-read"],
  ["all", {}, { read: true }, "--allow-read"],
  ["a host where there is none", {}, { net: ["a.test"] }, "--allow-net"],
  ["another port", { net: ["a.test:443"] }, { net: ["a.test"] }, "--allow-net"],
  ["a program where there are some", { run: ["git"] }, { run: true }, "--allow-run"],
  ["a variable", { env: ["TOKEN"] }, { env: ["TOKEN", "OTHER"] }, "--allow-env"],
];
for (const [claim, ceiling, flags, refused] of FLAGS) {
  Deno.test(`resolvePolicy() under a ceiling ${refused === undefined ? "takes" : "refuses"} ${claim}`, () => {
    using world = makeWorld();
    const work = () => resolve(world, { flags, ceiling: { ...ceiling, name: "acme", readOnly: false } });
    if (refused === undefined) return void work();
    const error = assertThrows(work, UserError, `${refused} asks for more than acme has`);
    assertEquals(error.exitCode, 3);
  });
}

Deno.test("resolvePolicy() takes no secret variable from a narrower layer that names it, where everything was allowed", () => {
  using world = makeWorld();
  const flags = { env: true };
  assertEquals(resolve(world, { flags }).env["OTHER"], "y");
  const pack = { name: "acme", readOnly: false };
  for (
    const request of [{ flags, project: { env: ["TOKEN"] } }, {
      user: { env: ["TOKEN"] },
      ceiling: { env: true, ...pack },
    }]
  ) {
    assertEquals(Object.keys(resolve(world, request).env).filter((name) => /TOKEN|OTHER/.test(name)), []);
  }
});

Deno.test("resolvePolicy() under a ceiling has the ceiling's scopes where nobody says anything", () => {
  using world = makeWorld();
  const ceiling: Ceiling = { write: ["src"], net: ["a.test"], name: "acme", readOnly: false };
  const policy = resolve(world, { ceiling });
  assertEquals(policy.net.list, ["a.test"]);
  assertEquals(policy.write.list, [`${world.root}/src`, world.tmp, world.cache]);
  assertEquals(resolve(world, { ceiling: { ...ceiling, readOnly: true } }).write.list, []);
});
