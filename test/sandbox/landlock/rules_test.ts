import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { isInside } from "../../../src/core/policy.ts";
import { probeSandbox } from "../../../src/sandbox/confine/probe.ts";
import { type LandlockRule, READ, RIGHT, WRITE } from "../../../src/sandbox/landlock/landlock.ts";
import { allBut, landlockRules } from "../../../src/sandbox/landlock/rules.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { makeWorld, programFor, shellLines, type World, worldPolicy } from "../confined_world.ts";
import { HAS_NAMESPACES } from "../namespaces_here.ts";

/** Rights that rules give to a path: those of every rule around it. */
function rightsAt(rules: readonly LandlockRule[], path: string): number {
  return rules.filter(([folder]) => isInside(path, folder)).reduce((sum, [, rights]) => sum | rights, 0);
}

Deno.test("landlockRules() gives the workspace everything but device nodes, and a read-only one nothing to change", () => {
  using world = makeWorld();
  const rules = landlockRules(worldPolicy(world, "kernel"), [], disk);
  assertEquals(rightsAt(rules, `${world.root}/f`), READ | WRITE);
  assertEquals(rightsAt(rules, `${world.outside}/secret`), 0);
  assertEquals(rightsAt(rules, "/etc/shadow"), 0);
  assertEquals(rightsAt(rules, "/usr/bin/env"), READ);
  assertEquals(rightsAt(rules, "/tmp/other"), 0);
  assertEquals(rightsAt(rules, "/dev/sda"), 0);
  assertEquals(rightsAt(rules, "/proc/1/environ") & RIGHT.EXECUTE, 0);
  for (const [, rights] of rules) assertEquals(rights & (RIGHT.MAKE_CHAR | RIGHT.MAKE_BLOCK), 0);
  const readOnly = landlockRules(worldPolicy(world, "kernel", { readOnly: true }), [], disk);
  for (const [path, rights] of readOnly) assert((rights & WRITE) === 0 || path.startsWith("/dev/"), path);
});

Deno.test("landlockRules() leaves a workspace in a shared folder writable where everything is, and nothing beside it", () => {
  using world = makeWorld();
  Deno.mkdirSync(`${world.root}/a`);
  const flags = { write: true, deny: { write: ["a"] } };
  for (const level of ["kernel", "kernel+"] as const) {
    const all = landlockRules(worldPolicy(world, level, { flags: { write: true } }), [], disk);
    assertEquals(rightsAt(all, `${world.root}/f`), READ | WRITE);
    assertEquals(rightsAt(all, `${world.outside}/f`) & WRITE, level === "kernel" ? 0 : WRITE);
  }
  // At kernel+ the machine's own /tmp is out of sight, and a mount lies over what is denied.
  const rules = landlockRules(worldPolicy(world, "kernel", { flags }), [], disk);
  assertEquals(rightsAt(rules, `${world.root}/a/f`) & WRITE, 0);
});

Deno.test("landlockRules() leaves out what is denied inside of what is granted", () => {
  using world = makeWorld();
  for (const name of ["a", "b/c", "b/d"]) Deno.mkdirSync(`${world.root}/${name}`, { recursive: true });
  const rules = landlockRules(worldPolicy(world, "kernel", { flags: { deny: { read: ["b/c"] } } }), [], disk);
  assertEquals(rightsAt(rules, `${world.root}/a/f`), READ | WRITE);
  assertEquals(rightsAt(rules, `${world.root}/b/d/f`), READ | WRITE);
  assertEquals(rightsAt(rules, `${world.root}/b/c/f`), 0);
  // Neither it nor a directory around it can be renamed.
  for (const path of [world.root, `${world.root}/b`]) assertEquals(rightsAt(rules, path), 0);
});

Deno.test("landlockRules() leaves out what is denied inside of what every process needs: keys beside certificates", () => {
  using world = makeWorld();
  const certificates: Readonly<Record<string, readonly string[]>> = {
    "/etc/ssl": ["certs", "openssl.cnf", "private"],
    "/opt/program": ["lib", "secret"],
  };
  const view = {
    realPath: (path: string) => path,
    listFolder: (path: string) => certificates[path] ?? disk.listFolder(path),
  };
  const policy = worldPolicy(world, "kernel", { flags: { deny: { read: ["/opt/program/secret"] } } });
  const rules = landlockRules(policy, ["/opt/program"], view);
  assertEquals(rightsAt(rules, "/etc/ssl/certs/ca.pem"), READ);
  assertEquals(rightsAt(rules, "/etc/ssl/private/key.pem"), 0);
  assertEquals(rightsAt(rules, "/opt/program/lib/x"), READ);
  // What the system is made of includes /opt, so that this denial is cut out of two rules.
  assertEquals(rightsAt(rules, "/opt/program/secret"), 0);
});

Deno.test("landlockRules() grants known hosts and public keys in a folder of keys, and no key", () => {
  using world = makeWorld();
  Deno.mkdirSync(`${world.home}/.ssh`);
  for (const name of ["known_hosts", "config", "id.pub", "id", "id.pub.bak"]) {
    Deno.writeTextFileSync(`${world.home}/.ssh/${name}`, "");
  }
  const granted = (deny: string[]): string[] =>
    landlockRules(worldPolicy(world, "kernel", { flags: { deny: { read: deny } } }), [], disk)
      .map(([path]) => path).filter((path) => isInside(path, world.home)).map((path) =>
        path.slice(world.home.length + 6)
      );
  assertEquals(granted([]), ["config", "id.pub", "known_hosts"]);
  assertEquals(granted(["~/.ssh/config"]), ["id.pub", "known_hosts"]);
});

Deno.test("landlockRules() splits a home that is granted, so that no rule stands above a secret", () => {
  using world = makeWorld();
  for (const name of [".ssh", "code", ".config/gh", ".config/app"]) {
    Deno.mkdirSync(`${world.home}/${name}`, { recursive: true });
  }
  Deno.writeTextFileSync(`${world.home}/notes`, "");
  const rules = landlockRules(worldPolicy(world, "kernel", { flags: { read: ["~"], write: ["~"] } }), [], disk);
  const inside = new Set(rules.map(([path]) => path).filter((path) => isInside(path, world.home)));
  assertEquals([...inside].map((path) => path.slice(world.home.length + 1)).sort(), [".config/app", "code", "notes"]);
  const all = landlockRules(worldPolicy(world, "kernel", { flags: { read: true, write: true } }), [], disk);
  for (const path of ["/", "/etc", "/dev", "/run", "/tmp", world.home, `${world.home}/.ssh`]) {
    assert(!all.some(([folder]) => folder === path), path);
  }
  assertEquals(rightsAt(all, `${world.home}/.ssh/id`), 0);
  assertEquals(rightsAt(all, "/etc/shadow"), 0);
  // The test's home lies in the shared temporary folder, which a grant of everything leaves out for writing.
  assertEquals(rightsAt(all, `${world.home}/notes`), READ);
  assertEquals(rightsAt(all, "/usr/f"), READ | WRITE);
});

type Tree = { readonly [name: string]: Tree };
const tree: fc.Arbitrary<Tree> = fc.letrec<{ node: Tree }>((tie) => ({
  node: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.oneof({ maxDepth: 3 }, fc.constant({}), tie("node")), {
    maxKeys: 4,
  }),
})).node;

function pathsOf(of: Tree, at: string): string[] {
  return Object.entries(of).flatMap(([name, inner]) => [`${at}/${name}`, ...pathsOf(inner, `${at}/${name}`)]);
}

Deno.test("allBut() covers what is there and not denied, and never anything that is denied or above it", () => {
  fc.assert(
    fc.property(
      tree,
      fc.array(fc.constantFrom("a", "b", "a/b", "a/b/c", "b/c", "d/d/d"), { maxLength: 3 }),
      (of, names) => {
        const denied = names.map((name) => `/g/${name}`);
        const listFolder = (path: string): string[] | undefined =>
          path.split("/").slice(2).reduce<Tree | undefined>((node, name) => node?.[name], of) &&
          Object.keys(path.split("/").slice(2).reduce<Tree>((node, name) => node[name] ?? {}, of));
        const pieces = allBut("/g", denied, { listFolder });
        for (const piece of pieces) for (const path of denied) assert(!isInside(piece, path) && !isInside(path, piece));
        for (const path of pathsOf(of, "/g")) {
          const hidden = denied.some((one) => isInside(path, one) || isInside(one, path));
          assert(hidden || pieces.some((piece) => isInside(path, piece)), path);
        }
      },
    ),
  );
});

Deno.test({
  name: "restrictSelf() follows no link that took the place of a granted folder",
  ignore: probeSandbox().landlockAbi < 6,
  fn: async () => {
    using world = makeWorld();
    Deno.mkdirSync(`${world.root}/sub`);
    const policy = worldPolicy(world, "kernel", { flags: { read: [".", "sub"], write: ["sub"] } });
    Deno.removeSync(`${world.root}/sub`);
    Deno.symlinkSync(world.outside, `${world.root}/sub`);
    const lines = ["cat sub/secret || echo refused", "echo x > sub/new || echo refused"];
    const said = await shellLines(policy, programFor(world), lines);
    assert(said.every((text) => text.endsWith("refused\n")), said.join());
    assertEquals(outsideNames(world), ["secret"]);
  },
});

for (const level of ["kernel", "kernel+"] as const) {
  Deno.test({
    name: `the launcher at ${level} enforces denials inside the workspace`,
    ignore: probeSandbox().landlockAbi < 6 || (level === "kernel+" && !HAS_NAMESPACES),
    fn: async () => {
      using world = makeWorld();
      for (const name of ["keep", "hidden/deep", "fixed"]) Deno.mkdirSync(`${world.root}/${name}`, { recursive: true });
      Deno.writeTextFileSync(`${world.root}/hidden/deep/f`, "hidden-text");
      Deno.writeTextFileSync(`${world.root}/fixed/f`, "fixed");
      const deny = { read: ["hidden/deep"], write: ["fixed", "hidden/deep"] };
      const policy = worldPolicy(world, level, { flags: { deny } });
      const said = await shellLines(policy, programFor(world), [
        "cat hidden/deep/f || echo refused",
        "mv hidden moved || echo refused",
        "echo x > fixed/f || echo refused",
        "rm -r fixed || echo refused",
        "echo x > keep/f && cat keep/f",
      ]);
      assertEquals(said.slice(0, 4).map((text) => text.trim().split("\n").at(-1)), Array(4).fill("refused"));
      assertEquals(said[4], "x\n");
      assertEquals(Deno.readTextFileSync(`${world.root}/fixed/f`), "fixed");
      assertEquals(Deno.readTextFileSync(`${world.root}/hidden/deep/f`), "hidden-text");
    },
  });
}

function outsideNames(world: World): string[] {
  return [...Deno.readDirSync(world.outside)].map((entry) => entry.name);
}
