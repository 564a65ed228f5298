// Programs that installers put below a home, through the whole program: a link in PATH leads to a script that loads a file
// beside it.
import { assertEquals, assertMatch } from "@std/assert";
import { dirname, join } from "@std/path";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";

/** The link in an entry of PATH, and the script, both below a home. */
const INSTALLED: readonly (readonly [link: string, script: string])[] = [
  [".nvm/versions/node/v22/bin/t1", ".nvm/versions/node/v22/lib/node_modules/t/cli"],
  [".asdf/installs/nodejs/22/bin/t2", ".asdf/installs/nodejs/22/lib/node_modules/t/cli"],
  [".local/share/mise/installs/node/22/bin/t3", ".local/share/mise/installs/node/22/lib/node_modules/t/cli"],
  ["n/bin/t4", "n/lib/node_modules/t/cli"],
  [".npm-global/bin/t5", ".npm-global/lib/node_modules/t/cli"],
  [".npm-packages/bin/t6", ".npm-packages/lib/node_modules/t/cli"],
  [".local/bin/t7", ".local/lib/node_modules/t/cli"],
  [".bun/bin/t8", ".bun/install/global/node_modules/t/cli"],
  [".yarn/bin/t9", ".config/yarn/global/node_modules/t/cli"],
  [".local/share/pnpm/t10", ".local/share/pnpm/global/5/node_modules/t/cli"],
  [".volta/bin/t11", ".volta/tools/image/packages/t/bin/cli"],
  [".local/bin/t12", ".local/share/pipx/venvs/t/bin/cli"],
  [".local/bin/t13", ".local/pipx/venvs/t/bin/cli"],
  [".local/bin/t14", ".local/share/uv/tools/t/bin/cli"],
  [".pyenv/versions/3.12/bin/t15", ".pyenv/versions/3.12/lib/python3.12/site-packages/t/cli"],
  [".cargo/bin/t16", ".rustup/toolchains/stable/bin/cli"],
  [".local/share/gem/ruby/3.2.0/bin/t17", ".local/share/gem/ruby/3.2.0/gems/t/exe/cli"],
  [".gem/ruby/3.2.0/bin/t18", ".gem/ruby/3.2.0/gems/t/exe/cli"],
  [".sdkman/candidates/java/current/bin/t19", ".sdkman/candidates/java/21/bin/cli"],
  ["flutter/bin/t20", "flutter/packages/t/cli"],
  ["sdk/go1.22/bin/t21", "sdk/go1.22/pkg/tool/cli"],
  [".config/composer/vendor/bin/t22", ".config/composer/vendor/t/t/bin/cli"],
  [".dotnet/t23", ".dotnet/sdk/8/cli"],
  // Layouts that no table has.
  ["own-prefix/bin/t24", "own-prefix/lib/t/cli"],
  [".local/bin/t25", "apps/editor/bin/cli"],
  ["tools/bin/t26", "work/venv/lib/python3.12/site-packages/t/cli"],
  ["tools/bin/t27", "js/node_modules/t/cli"],
  [".rubies/3.3/bin/t28", ".rubies/3.3/lib/ruby/gems/3.3.0/gems/t/exe/cli"],
  [".local/bin/t29", ".virtualenvs/app/bin/cli"],
  ["Apps/thing/bin/t30", "Apps/thing/runtime/cli"],
];

/** What a person keeps beside them. */
const OWN = [
  "own-prefix/.env",
  "apps/editor/settings.json",
  "js/.env",
  "work/venv/notes.txt",
  ".config/yarn/global/.npmrc",
  ".config/composer/auth.json",
  ".gem/credentials",
  "Apps/thing/etc/key",
  ".nvm/.npmrc",
];

async function put(path: string, text: string, mode = 0o644): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text, { mode });
}

const SCRIPT = '#!/bin/bash\n. "$(dirname "$(readlink -f "$0")")/dep.sh" && echo "ok $(basename "$0")"\n';

Deno.test("programs of installers in PATH run with what they load, and nothing of the home that is not theirs can be read", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    for (const [link, script] of INSTALLED) {
      await put(join(home, script), SCRIPT, 0o755);
      await put(join(home, dirname(script), "dep.sh"), "true\n");
      await Deno.mkdir(join(home, dirname(link)), { recursive: true });
      await Deno.symlink(join(home, script), join(home, link));
    }
    for (const path of OWN) await put(join(home, path), "FAKE\n");
    const entries = [...new Set(INSTALLED.map(([link]) => join(home, dirname(link))))];
    const env = { HOME: home, PATH: `${entries.join(":")}:/usr/bin:/bin` };
    const names = INSTALLED.map(([link]) => link.replace(/.*\//, ""));
    const command = `for t in ${names.join(" ")}; do $t; done; cd ${home} && cat ${OWN.join(" ")}`;
    const ran = await run(PROGRAM, ["tool", "bash", "--", command], { cwd: ws, env });
    assertEquals(ran.stdout.split("\n").filter((line) => line.startsWith("ok ")), names.map((name) => `ok ${name}`));
    assertEquals(ran.stdout.includes("FAKE"), false, ran.stdout);
  });
});

Deno.test("a program in PATH that cannot be reached is named with the grant that opens it", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    await put(join(home, "elsewhere/thing/run"), SCRIPT, 0o755);
    await put(join(home, "elsewhere/thing/dep.sh"), "true\n");
    await Deno.mkdir(join(home, "odd/bin"), { recursive: true });
    await Deno.symlink(join(home, "elsewhere/thing/run"), join(home, "odd/bin/oddtool"));
    await put(join(home, ".fly/bin/flyctl"), "#!/bin/sh\necho fly\n", 0o755);
    const env = { HOME: home, PATH: `${home}/odd/bin:${home}/.fly/bin:/usr/bin:/bin` };
    const at = async (command: string, ...args: string[]): Promise<string> =>
      (await run(PROGRAM, ["tool", ...args, "bash", "--", command], { cwd: ws, env })).stdout;
    const grant = `--allow-read=+${home}/elsewhere/thing`;
    for (const command of ["oddtool", "sh -c oddtool", "env oddtool", "oddtool | cat"]) {
      const said = await at(command);
      assertMatch(said, /oddtool is \S+odd\/bin\/oddtool, a link to \S+elsewhere\/thing\/run, outside the read scope/);
      assertEquals(said.includes(grant), true, said);
    }
    assertMatch(await at("oddtool", grant), /^ok oddtool/);
    assertMatch(await at("flyctl"), /flyctl: it may hold secrets, and no grant opens it/);
    assertEquals((await at("no-such-tool")).includes("Sandbox:"), false);
  });
});
