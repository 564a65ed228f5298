// A program of its own for executable_test.ts: opens the launcher as this process may, and starts it without a frame.
import { launcher } from "../../../src/sandbox/launcher/executable.ts";

try {
  const executable = launcher();
  const program = executable.path();
  const { code } = executable.lend(() =>
    new Deno.Command(program, { stdin: "null", stderr: "null", clearEnv: true }).outputSync()
  );
  console.log(JSON.stringify({ kind: executable.kind, program, code }));
} catch (error) {
  console.log(JSON.stringify({ error: String(error), exitCode: Object(error).exitCode }));
}
