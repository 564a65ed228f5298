import { assertEquals } from "@std/assert";
import { bestHolder, descriptors } from "../../src/sandbox/names/held_directory.ts";

/** Whether this process may open what /proc/self/fd names. With the permissions of the test runner it may not. */
export const canHold = bestHolder() === descriptors;

/** Runs a test file once more with the permissions of the compiled binary, if this process has fewer. */
export function alsoWithFullPermissions(file: string): void {
  Deno.test({
    name: "these tests with the permissions of the compiled binary",
    ignore: canHold,
    async fn() {
      const { code, stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["test", "-A", "--no-prompt", "--no-check", "--quiet", new URL(file).pathname],
        env: { NO_COLOR: "1" },
        stderr: "null",
      }).output();
      assertEquals(code, 0, new TextDecoder().decode(stdout));
    },
  });
}
