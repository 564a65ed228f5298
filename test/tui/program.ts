// The terminal UI of the real program, for tests in a pseudo-terminal: its arguments are the program's own.
import { UserError } from "../../src/core/error.ts";
import { configure } from "../../src/config/config.ts";
import { chosenSession, firstStartMode, interactiveMode, trustedConfig } from "../../src/cli/modes/interactive.ts";
import { firstModel } from "../../src/engine/model/first_model.ts";
import { parseCommandLine } from "../../src/config/options/parse.ts";
import { errorBlock, exitCodeOf } from "../../src/cli/output/report.ts";
import { readVariable, readWorld } from "../../src/config/host_environment.ts";

if (import.meta.main) Deno.exit(await start());

async function start(): Promise<number> {
  const plain = Deno.args.includes("--plain");
  const invocation = parseCommandLine(Deno.args.filter((word) => word !== "--plain"));
  const config = await trustedConfig(
    configure({ ...invocation, values: { ...invocation.values, plain } }, readWorld()),
  );
  if (typeof config === "number") return config;
  const chosen = await chosenSession(config);
  if (typeof chosen === "number") return chosen;
  let choice;
  try {
    choice = await firstModel(chosen, readVariable);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return await firstStartMode(config, error, async (model, now) => {
      const named = { ...now, invocation: { ...invocation, values: { ...invocation.values, plain, model } } };
      return await interactiveMode(named, await firstModel(named, readVariable));
    });
  }
  try {
    // A crash in the middle of everything, for the tests of what is left of the terminal.
    if (Deno.env.has("CRASH")) crashWhenTold();
    return await interactiveMode(chosen, choice, invocation.words.join(" "));
  } catch (error) {
    console.error(errorBlock(error, true));
    return exitCodeOf(error);
  }
}

function crashWhenTold(): void {
  const timer = setInterval(() => {
    try {
      Deno.statSync("crash");
    } catch {
      return;
    }
    clearInterval(timer);
    Promise.reject(new Error("crashed on purpose"));
  }, 50);
}
