// Standard input whose reads end at once while nothing was typed, as those of a terminal of another user do.
import { assertEquals } from "@std/assert";
import { needs } from "../../helpers/needs.ts";

const module = (path: string): string => new URL(`../../../src/${path}`, import.meta.url).href;

/** Starts a program with a pipe as such an input, and writes byte by byte: each when the one before was read. */
const IN_PIPE = `
import array, fcntl, json, os, sys, termios, time
text, argv = json.loads(sys.argv[1]), sys.argv[2:]
read, write = os.pipe()
os.set_blocking(read, False)
pid = os.fork()
if pid == 0:
    os.dup2(read, 0)
    os.close(write)
    os.execvp(argv[0], argv)
left = array.array('i', [0])
for byte in text.encode():
    os.write(write, bytes([byte]))
    while fcntl.ioctl(read, termios.FIONREAD, left, True) == 0 and left[0] > 0 and os.waitpid(pid, os.WNOHANG) == (0, 0): time.sleep(0.001)
os.close(write)
os.waitpid(pid, 0)
`;

/** What a script of this project prints with that input. */
async function printed(script: string, input: string): Promise<string> {
  const program = [Deno.execPath(), "eval", "--quiet", "--ext=ts", script];
  const { stdout, stderr } = await new Deno.Command("python3", {
    args: ["-c", IN_PIPE, JSON.stringify(input), ...program],
  }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

const { name, ignore } = needs(["python3"], "readLine() and readInput() wait where a read of the input ends at once");
Deno.test({
  name,
  ignore,
  fn: async () => {
    const lines = `import { readLine } from ${JSON.stringify(module("core/support/standard_input.ts"))};
      console.log(JSON.stringify([readLine(), readLine(), readLine(), readLine(), readLine()]));`;
    assertEquals(JSON.parse(await printed(lines, "one\r\ntwä\n\nlast")), ["one", "twä", "", "last", null]);
    const bytes = `import { readInput } from ${JSON.stringify(module("core/support/standard_input.ts"))};
      const [buffer, found] = [new Uint8Array(4), []];
      for (let count = await readInput(buffer); count !== null; count = await readInput(buffer)) {
        found.push(...buffer.subarray(0, count));
      }
      console.log(JSON.stringify(found));`;
    assertEquals(JSON.parse(await printed(bytes, "abcdefghij")), [...new TextEncoder().encode("abcdefghij")]);
  },
});
