import { assertEquals } from "@std/assert";
import { thisProgram } from "../../src/sandbox/confine/self.ts";
import { makeWorld, programFor } from "./confined_world.ts";
import { reachableDeno, USERS } from "./reachable.ts";

const MARK = "SANDPIPER_TEST_AS_USER";

/** Runs a test file again as user 1000, where the tests run as root. */
export function asOrdinaryUser(name: string, file: string): void {
  const ignore = !USERS.includes("user") || Deno.env.get(MARK) !== undefined;
  Deno.test({
    name,
    ignore,
    fn: async () => {
      using world = makeWorld();
      const self = programFor(world);
      const config = self.args[self.args.indexOf("--config") + 1] ?? "";
      // The packages that tests use, where an ordinary user can read them.
      const modules = `${world.base}/modules`;
      Deno.mkdirSync(modules);
      openPackages(`${thisProgram().env["DENO_DIR"]}/npm`, `${modules}/npm`);
      Deno.chmodSync(modules, 0o777);
      const kinds = ["read", "write", "run", "env", "ffi", "sys", "net=127.0.0.1,localhost"].map((kind) =>
        `--allow-${kind}`
      );
      const test = ["test", "--no-check", "--no-prompt", "--cached-only", "--config", config, ...kinds, file];
      const { code, stdout, stderr } = await new Deno.Command("/usr/bin/setpriv", {
        args: ["--reuid=1000", "--regid=1000", "--clear-groups", reachableDeno(), ...test],
        clearEnv: true,
        env: { ...self.env, DENO_DIR: modules, TMPDIR: world.tmp, NO_COLOR: "1", [MARK]: "1" },
      }).output();
      const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assertEquals(code, 0, text.slice(-4_000));
    },
  });
}

/** Makes packages readable in another folder: tens of thousands of files, so by hard links wherever they are readable. */
function openPackages(from: string, to: string): void {
  const script = `cp -rl "$0" "$1" 2>&- || { rm -rf "$1"; cp -r "$0" "$1"; }
    find "$1" -type d -exec chmod a+rwx {} +
    # A link has its file's mode, which stays as it is.
    find "$1" -type f ! -perm -o+r -exec sh -c 'for f; do cp "$f" "$f~" && chmod a+r "$f~" && mv "$f~" "$f"; done' sh {} +`;
  const { success, stderr } = new Deno.Command("sh", { args: ["-e", "-c", script, from, to] }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
