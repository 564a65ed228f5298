import { assertEquals, assertRejects } from "@std/assert";
import { refuseInput } from "../../../src/cli/modes/refuse_input.ts";
import { refuseTask } from "../../../src/cli/modes/run_task.ts";
import { type Config, configure } from "../../../src/config/config.ts";
import { packLayer } from "../../../src/config/options/packed.ts";
import { parseCommandLine } from "../../../src/config/options/parse.ts";
import { UserError } from "../../../src/core/error.ts";

/** What a start refuses whose model is missing: [the words behind the program's name, what is said, the exit code]. */
const REFUSED: readonly (readonly [args: readonly string[], what: string, code: number])[] = [
  [["-p", "@nofile", "x"], "Cannot use @nofile", 2],
  [["-p", "@.", "x"], "Cannot use @.", 2],
  [["-p"], "There is no task", 2],
  [["-p", "-r", "nosuch", "x"], 'Cannot find session "nosuch"', 2],
  [["-p", "--fork", "nosuch", "x"], 'Cannot find session "nosuch"', 2],
  [["-p", "-c", "--no-session", "x"], "The session options do not go together", 2],
  [["-p", "--tools", "nosuch", "x"], 'There is no tool "nosuch"', 2],
  [["-p", "-e", "nosuch.ts", "x"], 'Cannot load the extension "WS/nosuch.ts"', 2],
  [["-p", "--output-schema", "nosuch", "x"], 'Cannot use the schema "nosuch"', 2],
  [["-p", "--report", "no/such", "x"], 'Cannot write "WS/no/such"', 2],
  [["-p", "--fail-on", "nosuch", "x"], 'Cannot fail on "nosuch"', 2],
  // What a pack has may not be widened: its policy is refused.
  [["-p", "--allow-net=b.test", "x"], "--allow-net asks for more than acme has", 3],
  [["-p", "x"], "nothing", 0],
];

Deno.test("a start without a model says what is wrong with the rest of the command line, and keeps nothing", async () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-refuse-" }));
  const [ws, home] = [`${top}/ws`, `${top}/home`];
  Deno.mkdirSync(ws);
  Deno.mkdirSync(home);
  const pack = packLayer({
    ...{ name: "acme", fingerprint: "0".repeat(64), isOpen: true, settings: {}, prompt: [] },
    ...{ flags: { "allow-net": ["a.test"] }, extensions: [], files: [], folder: () => "/pack" },
  });
  const configOf = (args: readonly string[]): Config =>
    configure(parseCommandLine(args), {
      env: { HOME: home, PATH: "/usr/bin:/bin" },
      cwd: ws,
      home,
      ...{ stdinIsTerminal: true, stdoutIsTerminal: true, mayRun: true, pack },
    });
  try {
    for (const [args, what, code] of REFUSED) {
      const refuse = async (): Promise<void> => {
        const config = configOf(args);
        await refuseTask(config);
        await refuseInput(config);
      };
      if (code === 0) {
        await refuse();
        continue;
      }
      const error = await assertRejects(refuse, UserError);
      assertEquals([error.what.replace(ws, "WS"), error.exitCode], [what, code], error.message);
    }
    assertEquals([...Deno.readDirSync(ws)], []);
    assertEquals([...Deno.readDirSync(`${home}`)].map(({ name }) => name).filter((name) => name !== ".cache"), []);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});
