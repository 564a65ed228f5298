import type * as z from "zod/mini";
import { ToolError } from "../src/core/error.ts";
import { textResult, type Tool, type Zod } from "../src/core/tool.ts";
import { shownPath } from "./text/shown_path.ts";

const args = (z: Zod) => z.object({ path: z.string(), content: z.string() });

/** Creates a file or replaces all of it, UTF-8, line ends as given. Requirements R453, R485, R486. */
export const write: Tool<z.infer<ReturnType<typeof args>>> = {
  name: "write",
  description: "Create a file, or replace all of its content. Makes missing parent folders.",
  args,
  promptSnippet: "Create or overwrite files",
  needs: ["write"],
  readOnly: false,
  place: "runner",
  run({ path, content }, { files, policy, signal }) {
    const file = files.resolve(path);
    return files.lock(file, "write", () => {
      if (signal.aborted) throw new ToolError("Operation aborted");
      const bytes = new TextEncoder().encode(content);
      files.write(file, bytes);
      return Promise.resolve(
        textResult(`Successfully wrote to ${shownPath(file, policy.root)} (${bytes.length} bytes)`),
      );
    });
  },
};
