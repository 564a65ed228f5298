// What the next start goes through is no tool's to write, wherever the program was put.
import { assert, assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { ownPaths, thisProgram } from "../../../src/sandbox/confine/self.ts";
import { inWorld } from "../guarded_world.ts";
import { CONFINED } from "../shell_fixture.ts";

const BINARY = { args: [], env: {}, standalone: true };

Deno.test("ownPaths() has what starts the program: from source main.ts, below node_modules launcher, packages and command", () => {
  const tree = dirname(dirname(dirname(dirname(fromFileUrl(import.meta.url)))));
  for (const name of ["main.ts", "src", "tools", "deno.json"]) {
    assert(ownPaths(thisProgram()).includes(join(tree, name)));
  }
  const program = "/w/node_modules/.pnpm/x@1/node_modules/@sandpiper/linux-x64/bin/sandpiper";
  const [outer, inner] = ["/w/node_modules", "/w/node_modules/.pnpm/x@1/node_modules"];
  assertEquals(ownPaths({ ...BINARY, program, readPaths: [program] }), [
    program,
    ...[outer, inner].flatMap((at) => [`${at}/sandpiper`, `${at}/@sandpiper`, `${at}/.bin/sandpiper`]),
  ]);
  const elsewhere = "/usr/bin/sandpiper";
  assertEquals(ownPaths({ ...BINARY, program: elsewhere, readPaths: [elsewhere] }), [elsewhere]);
});

const FILES = ["sandpiper/bin/sandpiper", "sandpiper/launcher.cjs", "@sandpiper/linux-x64/bin/sandpiper"];

for (const level of CONFINED) {
  Deno.test(`at ${level} commands change nothing that starts a program which is installed in the workspace`, () => {
    let there: string[] = [];
    const link = (root: string): string => `${root}/node_modules/.bin/sandpiper`;
    return inWorld(level, (root) => {
      there = FILES.map((name) => `${root}/node_modules/${name}`);
      for (const path of [...there, link(root)]) Deno.mkdirSync(dirname(path), { recursive: true });
      for (const path of there) Deno.writeTextFileSync(path, "own");
      Deno.symlinkSync("../sandpiper/bin/sandpiper", link(root));
    }, async ({ world: { root }, run }) => {
      for (const path of [...there, link(root)]) {
        await run(`echo evil >> ${path}; ln -sf /bin/true ${path}; rm -f ${path}; echo evil > ${path}`);
        await run(`mv ${dirname(path)} ${dirname(path)}.moved; mkdir -p ${dirname(path)}; echo evil > ${path}`);
      }
      await run(`mv node_modules moved; mkdir -p node_modules/.bin; echo evil > node_modules/.bin/sandpiper`);
      assertEquals(there.map((path) => Deno.readTextFileSync(path)), ["own", "own", "own"]);
      assertEquals(Deno.readLinkSync(link(root)), "../sandpiper/bin/sandpiper");
    }, ({ root }) => {
      const program = `${root}/node_modules/@sandpiper/linux-x64/bin/sandpiper`;
      return { program: ownPaths({ ...BINARY, program, readPaths: [program] }) };
    });
  });
}
