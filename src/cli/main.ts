import { type Invocation, parseCommandLine } from "../config/options/parse.ts";
import { columnsOf, errorBlock, exitCodeOf } from "./output/report.ts";
import { isNonBlocking } from "../core/support/standard_input.ts";
import { UserError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { readVariable, takeProxyExceptions } from "../config/host_environment.ts";
import { standardError, writeAll } from "./output/write_all.ts";

/** Runs the command line and ends the process with its exit code. */
export async function main(args: readonly string[]): Promise<void> {
  const debug = (readVariable("SANDPIPER_DEBUG") ?? "") !== "";
  takeProxyExceptions();
  try {
    const code = await dispatch(args);
    await leave(code);
  } catch (error) {
    void standardError.put(errorBlock(error, debug, columnsOf(Deno.stderr)));
    await leave(exitCodeOf(error));
  }
}

/** Ends the process when all was said. The shell finds standard input as it was. */
async function leave(exitCode: number): Promise<never> {
  await standardError.flush();
  if (isNonBlocking()) (await import("../sandbox/system/blocking.ts")).setBlocking(0);
  Deno.exit(exitCode);
}

async function dispatch(args: readonly string[]): Promise<number> {
  const isPacked = await holdsPack();
  if (isPacked) (await import("./carried_pack.ts")).takeCarriedPack();
  const isRpc = args.some((word) => /^(?:--mode=)?rpc$/.test(word));
  const own = isRpc ? (await import("../config/options/pi_options.ts")).withoutPiOptions(args) : args;
  const invocation = parseCommandLine(own);
  const { values } = invocation;
  if (values["version"]) return say(isPacked ? await packedVersion() : `sandpiper ${VERSION}\n`);
  if (values["fingerprint"]) return say(`${await fingerprint(isPacked)}\n`);
  if (values["help"]) {
    const { helpText, helpPlaces } = await import("./commands/help.ts");
    return say(helpText(invocation.command, helpPlaces()));
  }
  const handle = HANDLERS[invocation.command ?? "run"];
  if (!handle) throw new Error(`no handler for ${invocation.command}`);
  return await handle(invocation);
}

/** What runs each command, and `run` where none is named; its exit code. Code is loaded only for the one that runs. */
const HANDLERS: Readonly<Record<string, (given: Invocation) => Promise<number>>> = {
  demo: async (given) => (await import("./modes/run.ts")).runDemo(given),
  prompt: async (given) => (await import("./commands/prompt.ts")).promptCommand(given),
  policy: async (given) => (await import("./commands/policy.ts")).policyCommand(given),
  doctor: async (given) => (await import("./commands/doctor.ts")).doctorCommand(given),
  models: async (given) => (await import("./commands/models.ts")).modelsCommand(given),
  sessions: async (given) => (await import("./commands/sessions.ts")).sessionsCommand(given),
  batch: async (given) =>
    given.words[0] === "report"
      ? (await import("./batch/report.ts")).batchReport(given)
      : (await import("./batch/run.ts")).runBatch(given),
  check: async (given) => (await import("./check/command.ts")).checkCommand(given),
  undo: async (given) => (await import("./commands/undo.ts")).undoCommand(given),
  apply: async (given) => (await import("./commands/apply.ts")).applyCommand(given),
  audit: async (given) => (await import("./commands/audit.ts")).auditCommand(given),
  agents: async (given) => (await import("./commands/agents.ts")).agentsCommand(given),
  skills: async (given) => (await import("./commands/skills.ts")).skillsCommand(given),
  tool: async (given) => (await import("./commands/tool.ts")).toolCommand(given),
  mcp: async (given) => (await import("./commands/mcp.ts")).mcpCommand(given),
  pack: async (given) => (await import("./commands/pack.ts")).packCommand(given),
  completions: async (given) => (await import("./commands/completions.ts")).completionsCommand(given),
  update: async (given) => (await import("./commands/update.ts")).updateCommand(given),
  acp: async (given) => (await import("./acp/run.ts")).acpCommand(given),
  run: async (given) => (await import("./modes/run.ts")).run(given),
};

async function packedVersion(): Promise<string> {
  const { readPack } = await import("../pack/carried.ts");
  const read = readPack(Deno.execPath());
  return `${read?.index.name}, packed with sandpiper ${VERSION}\nfingerprint ${read?.fingerprint}\n`;
}

async function fingerprint(isPacked: boolean): Promise<string> {
  const read = isPacked ? (await import("../pack/carried.ts")).readPack(Deno.execPath()) : undefined;
  if (read) return read.fingerprint;
  throw new UserError({
    what: "There is no fingerprint",
    why: "nothing is packed into this program",
    fix: "sandpiper pack makes a program that has one",
  });
}

function say(text: string): number {
  writeAll(Deno.stdout, text);
  return 0;
}

/** Whether something was packed into this program: all that a start without a pack knows of them. */
export async function holdsPack(): Promise<boolean> {
  if (!Deno.build.standalone) return false;
  const { holdsPack } = await import("../pack/carrier.ts");
  return holdsPack(Deno.execPath()) ?? (await import("../engine/resources/bundled.ts")).isOwnBuild();
}
