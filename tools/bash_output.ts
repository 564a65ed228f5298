import type * as z from "zod/mini";
import { formatSize } from "../src/core/support/text.ts";
import { textResult, type Tool, type Zod } from "../src/core/tool.ts";
import { type BackgroundCommand, backgroundOf } from "./bash.ts";

const args = (z: Zod) =>
  z.object({
    id: z.string().check(z.describe("For example b1")),
    wait: z.optional(z.number().check(z.describe("Seconds to wait for its end, at most 600"))),
  });

/** Longest wait, seconds. */
const LONGEST_WAIT = 600;

/** What a command in the background has written since the last look; may wait for its end. */
export const bashOutput: Tool<z.infer<ReturnType<typeof args>>> = {
  name: "bash_output",
  description: "New output of a background command since the last look.",
  args,
  promptSnippet: "New output of a background command, or wait for its end",
  needs: ["run"],
  readOnly: true,
  place: "shell",
  async run({ id, wait = 0 }, { shell, signal }) {
    const background = backgroundOf(shell);
    const stateOf = (): BackgroundCommand | undefined => background.list().find((command) => command.id === id);
    // There is always something to say of one that has ended, and of none.
    if (stateOf()?.exitCode === undefined) {
      await background.wait(id, Math.min(Math.max(0, wait), LONGEST_WAIT) * 1000, signal);
    }
    const { text, lost } = background.fresh(id);
    const state = stateOf();
    if (state?.exitCode !== undefined) background.told(id);
    const where = state?.outputPath === undefined ? "" : ` ${state.outputPath} has all of it.`;
    return textResult(
      [
        ...(lost > 0 ? [`[${formatSize(lost)} before this are left out.${where}]`] : []),
        text.trim() === "" ? "(no new output)" : text.replace(/\n$/, ""),
        state?.exitCode === undefined
          ? `[${id} is still running.]`
          : `[${id} has ended with code ${state.exitCode}${state.why === undefined ? "" : `: ${state.why}`}.]`,
      ].join("\n"),
      { id, ...(state?.exitCode === undefined ? {} : { exitCode: state.exitCode }) },
    );
  },
};
