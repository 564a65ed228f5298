import { assertEquals, assertMatch } from "@std/assert";
import { openPackages, PACKAGES } from "../../scripts/tests/packages.ts";
import { thisProgram } from "../../src/sandbox/confine/self.ts";
import { makeWorld, programFor } from "./confined_world.ts";
import { reachableDeno, USERS } from "./reachable.ts";

const MARK = "SANDPIPER_TEST_AS_USER";
const mark = Deno.env.get(MARK);
const isAgain = mark === undefined && USERS.includes("user");

/** Runs a test file again as user 1000, where the tests run as root. */
export function asOrdinaryUser(name: string, file: string): void {
  Deno.test({
    name,
    ignore: !isAgain,
    fn: async () => {
      using world = makeWorld();
      const self = programFor(world);
      const config = self.args[self.args.indexOf("--config") + 1] ?? "";
      const shared = Deno.env.get(PACKAGES);
      const modules = shared ?? openPackages(thisProgram().env["DENO_DIR"] ?? "");
      using own = new DisposableStack();
      if (shared === undefined) own.defer(() => Deno.removeSync(modules, { recursive: true }));
      const kinds = ["read", "write", "run", "env", "ffi", "sys", "net=127.0.0.1,localhost"].map((kind) =>
        `--allow-${kind}`
      );
      const test = ["test", "--no-check", "--no-prompt", "--cached-only", "--config", config, ...kinds, file];
      const { code, stdout, stderr } = await new Deno.Command("/usr/bin/setpriv", {
        args: ["--reuid=1000", "--regid=1000", "--clear-groups", reachableDeno(), ...test],
        clearEnv: true,
        env: {
          ...self.env,
          ...{ DENO_DIR: modules, TMPDIR: world.tmp, NO_COLOR: "1", [MARK]: "1" },
          // By night as many rounds as the other user's.
          ...Object.fromEntries(Object.entries(Deno.env.toObject()).filter(([key]) => key === "SANDPIPER_ROUNDS")),
        },
      }).output();
      const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assertEquals(code, 0, text.slice(-4_000));
      assertMatch(text, /^ok \| [1-9]\d* passed/m);
    },
  });
}
