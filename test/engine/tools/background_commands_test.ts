import { assertEquals, assertRejects } from "@std/assert";
import { backgroundCommands } from "../../../src/engine/tools/background_commands.ts";
import { ToolError } from "../../../src/core/error.ts";
import { withShell } from "../../sandbox/shell_fixture.ts";

Deno.test("backgroundCommands() numbers the commands of several shells as one list, and each stays with its shell", () =>
  withShell("off", (one) =>
    withShell("off", async (other) => {
      const { numbered } = backgroundCommands();
      const [first, second] = [numbered(one.shell.background), numbered(other.shell.background)];
      const ids = [
        (await first.start("exec sleep 3071")).id,
        (await second.start("exec sleep 3072")).id,
        (await first.start("exit 3")).id,
      ];
      assertEquals(ids, ["b1", "b2", "b3"]);
      // Any of them is reached through the newest shell.
      const refused = await assertRejects(() => second.stop("b9"), ToolError);
      assertEquals(refused.message, "No background command b9. Running: b1, b2.");
      assertEquals((await second.stop("b1")).id, "b1");
      assertEquals(second.list().map(({ id, command, exitCode }) => [id, command, exitCode]), [
        ["b1", "exec sleep 3071", 143],
        ["b2", "exec sleep 3072", undefined],
        ["b3", "exit 3", 3],
      ]);
    })));
