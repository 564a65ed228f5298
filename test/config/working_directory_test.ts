import { assertEquals, assertStringIncludes } from "@std/assert";
import { inWorkspace, PROGRAM } from "../helpers/program.ts";

/** Runs a script of bash with the program as `"$@"`. */
function shell(script: string, cwd: string, home: string): { readonly code: number; readonly stderr: string } {
  const { code, stderr } = new Deno.Command("bash", {
    args: ["-c", script, "bash", ...PROGRAM.command],
    cwd,
    clearEnv: true,
    env: {
      ...{ HOME: home, PATH: Deno.env.get("PATH") ?? "", NO_COLOR: "1" },
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    },
  }).outputSync();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

for (
  const [what, script, said, code] of [
    [
      "a working directory whose path is not UTF-8",
      `mkdir $'odd\\xff'; cd $'odd\\xff'; "$@" tool bash -- pwd`,
      "error: Cannot start in this directory\n  why: its path is not valid UTF-8: ",
      2,
    ],
    [
      "-C with a link to a directory whose path is not UTF-8",
      `mkdir $'odd\\xff'; ln -s $'odd\\xff' link; "$@" -C link -p hi < /dev/null`,
      'error: Cannot use "link"\n  why: the path that it leads to is not valid UTF-8\n',
      2,
    ],
    [
      "a working directory that was removed",
      `mkdir gone; cd gone; rmdir ../gone; "$@" tool bash -- pwd`,
      "",
      undefined,
    ],
  ] as const
) {
  Deno.test({
    name: `${what} ends with one message, and no stack`,
    ignore: Deno.build.os !== "linux",
    fn: () =>
      inWorkspace({}, ({ ws, home }) => {
        const left = shell(script, ws, home);
        if (code !== undefined) assertEquals(left.code, code, left.stderr);
        assertStringIncludes(left.stderr, said);
        assertEquals(/panicked|sandpiper failed| at .*\.ts:/.test(left.stderr), false, left.stderr);
        return Promise.resolve();
      }),
  });
}
