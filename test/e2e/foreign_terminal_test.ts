// A terminal that belongs to another user, as after `su` or in `sudo -u`: it is open, and cannot be opened by its name.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { cassette, inWorkspace, PROGRAM } from "../helpers/program.ts";

/**
 * Starts a program in such a terminal. Root may open everything but without CAP_DAC_OVERRIDE. Steps: a text to wait for, a text to
 * type. Prints the output and the exit code.
 */
const IN_TERMINAL = `
import ctypes, json, os, pty, select, sys, time
steps, argv = json.loads(sys.argv[1]), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.fchown(0, 12345, 12345)
    os.fchmod(0, 0o600)
    for capability in (1, 2): ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
    os.execvp(argv[0], argv)
said, seen, end = '', 0, time.time() + 60
while time.time() < end:
    while steps and steps[0][0] in said[seen:]:
        seen = len(said)
        os.write(fd, steps.pop(0)[1].encode())
    if not select.select([fd], [], [], 0.1)[0]: continue
    try: said += os.read(fd, 65536).decode(errors='replace')
    except OSError: break
else: os.kill(pid, 9)
print(json.dumps({'said': said, 'left': steps, 'code': os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}))
`;

const why = Deno.build.os !== "linux" || Deno.uid() !== 0 ? "only root can give a terminal away" : hasPython();
if (why !== undefined) console.log(`tests of a terminal of another user are left out: ${why}`);

function hasPython(): string | undefined {
  try {
    new Deno.Command("python3", { args: ["--version"], stdout: "null", stderr: "null" }).outputSync();
  } catch {
    return "python3 is not installed";
  }
}

async function inTerminal(
  args: readonly string[],
  steps: readonly (readonly [string, string])[],
  { ws, home }: { readonly ws: string; readonly home: string },
): Promise<string> {
  const { stdout, stderr } = await new Deno.Command("python3", {
    args: ["-c", IN_TERMINAL, JSON.stringify(steps), ...PROGRAM.command, ...args],
    cwd: ws,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      HOME: home,
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
    },
    stdin: "null",
  }).output();
  assert(stdout.length > 0, new TextDecoder().decode(stderr));
  const { said, left, code } = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals([left, code], [[], 0], said);
  return said;
}

const replay = (home: string): string => `replay:${cassette(home, [{ text: "a reply" }])}`;

Deno.test({
  name: "the terminal UI, plain mode and questions work in a terminal that belongs to another user",
  ignore: why !== undefined,
  fn: () =>
    inWorkspace({}, async (place) => {
      await inTerminal(
        ["-m", replay(place.home)],
        [["100% left", "hello\r"], ["a reply", "/quit"], ["/quit", "\r"]],
        place,
      );
      const said = await inTerminal(
        ["--plain", "-m", replay(place.home)],
        [["model", "hello\n"], ["a reply", "/quit\n"]],
        place,
      );
      assertStringIncludes(said, "The session is saved");
      await inTerminal(["sessions", "delete", "latest"], [["[y/N]", "n\n"], ["Nothing was deleted", ""]], place);
      await inTerminal(["sessions", "delete", "latest"], [["[y/N]", "y\n"], ["Deleted", ""]], place);
    }),
});
