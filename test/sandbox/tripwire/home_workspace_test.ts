// A workspace that is the home, or around it: what the next login obeys is not for tools to write.
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { ToolError } from "../../../src/core/error.ts";
import { isInside, type Policy } from "../../../src/core/policy.ts";
import { openFiles } from "../../../src/runner/files/files.ts";
import { type PolicyRequest, resolvePolicy } from "../../../src/sandbox/policy/policy.ts";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { LAZY_SOURCE, run } from "../../helpers/program.ts";
import { makeWorld, type World, worldPolicy } from "../confined_world.ts";
import { inWorld } from "../guarded_world.ts";
import { asOrdinaryUser } from "../ordinary_user.ts";
import { CONFINED, exists } from "../shell_fixture.ts";

const THERE = [
  ".bashrc",
  ".nanorc",
  ".config/zsh/.zshrc",
  ".profile",
  ".gitconfig",
  ".config/autostart/a.desktop",
  ".local/bin/ls",
  ".ssh/config",
];
const MISSING = [
  ".zshrc",
  ".ghci",
  ".config/qtile/config.py",
  ".vim/ftplugin/c.vim",
  ".pyenv/shims/ls",
  ".bash_profile",
  ".config/systemd/user/x.service",
  ".config/environment.d/x.conf",
  "bin/ls",
];

function furnish({ home }: World): void {
  for (const name of [...THERE, "dotfiles/tmux", "project/a"]) {
    Deno.mkdirSync(dirname(join(home, name)), { recursive: true });
    Deno.writeTextFileSync(join(home, name), "own\n");
  }
  // Where such files are kept elsewhere in the home, a link leads there.
  Deno.symlinkSync(join(home, "dotfiles/tmux"), join(home, ".tmux.conf"));
}

for (const level of CONFINED) {
  for (const place of ["home", "base"] as const) {
    Deno.test(`at ${level} commands change no start-up file in a workspace that is ${place === "home" ? "" : "around "}the home`, () =>
      inWorld(level, (_root, world) => furnish(world), async ({ world: { home }, run }) => {
        for (const name of [...THERE, ...MISSING, "dotfiles/tmux", ".tmux.conf"]) {
          const [path, folder] = [join(home, name), dirname(join(home, name))];
          await run(`mkdir -p ${folder}; echo planted >> ${path}; rm -f ${path}; echo planted > ${path}`);
          if (folder !== home) await run(`mv ${folder} ${folder}.moved && mkdir ${folder} && echo planted > ${path}`);
        }
        const changed = [...THERE, ".tmux.conf"].filter((name) => Deno.readTextFileSync(join(home, name)) !== "own\n");
        assertEquals([changed, MISSING.filter((name) => exists(join(home, name)))], [[], []]);
        // Ordinary work goes on.
        await run(`echo more >> ${home}/project/a; echo new > ${home}/project/b`);
        assertEquals(Deno.readTextFileSync(`${home}/project/a`), "own\nmore\n");
        assertEquals(Deno.readTextFileSync(`${home}/project/b`), "new\n");
      }, (world) => ({ root: world[place] })));
  }
}

for (const level of ["kernel", "permissions"] as const) {
  Deno.test(`at ${level} write refuses start-up files in a workspace that is the home`, () => {
    using world = makeWorld();
    furnish(world);
    const files = openFiles(worldPolicy(world, level, { root: world.home }));
    for (const name of [...THERE, ...MISSING, ".tmux.conf"]) {
      assertThrows(() => files.write(join(world.home, name), new Uint8Array()), ToolError, "Denied: write");
    }
    files.write(join(world.home, "project/a"), new Uint8Array());
  });
}

const home = "/home/ann";
/** Start-up files that a policy protects, from the home. */
function guarded(request: Partial<PolicyRequest>, path = "/usr/bin"): string[] {
  const policy: Policy = resolvePolicy({ root: "/w", ...request }, {
    ...disk,
    ...{ home, tmp: "/p/tmp", cache: "/p/cache", env: { PATH: path }, skills: [], level: "kernel" },
    realPath: (path) => path,
    listFolder: () => undefined,
    readText: () => undefined,
  });
  return policy.protected.filter((one) => isInside(one, home)).map((one) => one.slice(home.length + 1));
}

Deno.test("resolvePolicy() protects start-up files wherever the whole home may be written, and only there", () => {
  for (
    const request of [{ root: home }, { root: "/home" }, { root: "/" }, { flags: { write: ["~"] } }, {
      flags: { write: true },
    }]
  ) {
    const names = guarded(request);
    for (const name of [".bashrc", ".config/systemd", ".local/bin", ".gitconfig"]) assert(names.includes(name), name);
  }
  for (const request of [{}, { root: `${home}/code` }, { root: `${home}/.config` }, { root: home, readOnly: true }]) {
    assert(!guarded(request).includes(".bashrc"));
  }
});

Deno.test("resolvePolicy() protects the programs of the home that PATH names, and nothing that was granted by its own name", () => {
  assert(guarded({ root: home }, `/usr/bin:${home}/tools/bin`).includes("tools/bin"));
  const names = guarded({ root: home, flags: { write: [".", "~/.bashrc", "~/.config/nvim/lua"] } });
  assert(!names.includes(".bashrc") && !names.includes(".config/nvim") && names.includes(".zshrc"));
});

for (const [name, shown] of [["home", "is your home folder"], ["base", "holds your home"]] as const) {
  Deno.test(`a workspace that ${shown} is said at the start, with the folder`, async () => {
    using world = makeWorld();
    const cassette = join(world.tmp, "c.jsonl");
    Deno.writeTextFileSync(cassette, JSON.stringify({ text: "Done." }) + "\n");
    const args = ["--model", `replay:${cassette}`, "--no-session"];
    for (const mode of [["-p", "hello"], ["--mode", "json", "hello"]]) {
      const ran = await run(LAZY_SOURCE, [...args, ...mode], { cwd: world[name], env: { HOME: world.home } });
      assertEquals(ran.code, 0, ran.stderr);
      assertStringIncludes(ran.stderr + ran.stdout, shown);
      assertStringIncludes(ran.stderr + ran.stdout, world.home);
    }
    const ran = await run(LAZY_SOURCE, [...args, "-p", "hello"], { cwd: world.root, env: { HOME: world.home } });
    assert(!ran.stderr.includes(shown));
  });
}

asOrdinaryUser("start-up files of the home are kept as an ordinary user too", fromFileUrl(import.meta.url));
