import type * as z from "zod/mini";
import { textResult, type Tool, type Zod } from "../src/core/tool.ts";
import { backgroundOf } from "./bash.ts";

const args = (z: Zod) => z.object({ id: z.string().check(z.describe("For example b1")) });

/** Ends a command in the background with all that it started. */
export const bashStop: Tool<z.infer<ReturnType<typeof args>>> = {
  name: "bash_stop",
  description: "End a background command.",
  args,
  promptSnippet: "End a background command",
  needs: ["run"],
  readOnly: false,
  place: "shell",
  async run({ id }, { shell }) {
    const background = backgroundOf(shell);
    const { exitCode, outputPath } = await background.stop(id);
    background.told(id);
    const where = outputPath === undefined ? "" : ` Its output: ${outputPath}`;
    return textResult(`Background command ${id} has ended with code ${exitCode}.${where}`, { id });
  },
};
