import type * as z from "zod/mini";
import type { Tool, Zod } from "../src/core/tool.ts";
import { MAX_BYTES, MAX_LINES } from "./text/truncate.ts";

const args = (z: Zod) =>
  z.object({
    path: z.string(),
    offset: z.optional(z.int().check(z.describe("First line, from 1"))),
    limit: z.optional(z.int().check(z.describe("Number of lines"))),
  });

/** Shows a text file by lines, or an image. Requirements R451, R486. */
export const read: Tool<z.infer<ReturnType<typeof args>>> = {
  name: "read",
  description:
    `Read a text file or an image (png, jpeg, gif, webp). Cut at ${MAX_LINES} lines or ${MAX_BYTES / 1024}KB: ` +
    "continue with offset.",
  args,
  promptSnippet: "Read file contents",
  needs: ["read"],
  readOnly: true,
  place: "runner",
  run({ path, offset = 1, limit }, context) {
    const file = context.files.resolve(path);
    const most = limit === undefined ? undefined : Math.max(1, limit);
    return context.files.lock(file, "read", async () => {
      // The host, which asks this tool for its schema alone, has no use for it.
      const { showFile } = await import("./text/show_file.ts");
      return await showFile(file, Math.max(1, offset), most, context);
    });
  },
};
