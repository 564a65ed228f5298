import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { requireResources } from "../../../src/engine/tools/resource_limits.ts";
import { cassette, inWorkspace, PROGRAM, run } from "../../helpers/program.ts";

const table = (files: string, size: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units     \n` +
  `Max file size             ${size.padEnd(20)} unlimited            bytes     \n` +
  `Max open files            ${files.padEnd(20)} 20000                files     \n`;

Deno.test("requireResources() rejects a process that may have too few open files or too small files, and names both", () => {
  requireResources(table("64", "unlimited"));
  requireResources("");
  for (
    const [limits, why] of [[table("24", "unlimited"), ["24 open files"]], [table("24", "512"), [
      "24",
      "512 bytes",
    ]]] as const
  ) {
    try {
      requireResources(limits);
      assert(false, limits);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      for (const part of why) assertStringIncludes(error.why, part);
      assertStringIncludes(error.fix, "ulimit -n");
    }
  }
});

/** Runs a task under a limit of the shell. */
async function limited(
  limit: string,
  replies: readonly object[],
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  let ran = { code: -1, stdout: "", stderr: "" };
  await inWorkspace({}, async ({ ws, home }) => {
    const program = { name: limit, command: ["sh", "-c", `ulimit ${limit}; exec "$@"`, "sh", ...PROGRAM.command] };
    const args = ["-p", "--no-session", "-m", `replay:${cassette(home, replies)}`, "hi"];
    ran = await run(program, args, { cwd: ws, env: { HOME: home } });
  });
  return ran;
}

Deno.test({
  name: "a run whose process may have 24 open files, or files of 512 bytes, ends with one message and no stack",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    // From source, Deno writes its cache before the program begins, and would be ended by the signal.
    for (const [limit, said] of [["-n 24", "24 open files"], ["-f 1; trap '' XFSZ", "files of 512 bytes"]] as const) {
      const { code, stdout, stderr } = await limited(limit, [{ text: "Done." }]);
      assertEquals([code, stdout], [2, ""], stderr);
      assertEquals(stderr.match(/^(error:|\s+why:|\s+fix:)/gm)?.length, 3, stderr);
      assertStringIncludes(stderr, "error: The limits of this process are too low");
      // Shells disagree about the unit of ulimit -f: 512 bytes in dash, 1,024 in bash.
      assert(stderr.includes(said) || stderr.includes("files of 1024 bytes"), stderr);
    }
  },
});

Deno.test({
  name: "a write beyond the limit for files is an error of that write, and the run goes on",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const write = { name: "write", args: { path: "large.txt", content: "x".repeat(9_000_000) } };
    const { code, stdout, stderr } = await limited("-f 8192", [{ calls: [write] }, { text: "Done." }]);
    assertEquals([code, stdout], [0, "Done.\n"], stderr);
  },
});
