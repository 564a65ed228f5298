import { COMMANDS } from "../config/options/commands.ts";
import { parseCommandLine } from "../config/options/parse.ts";
import { columnsOf, errorBlock, exitCodeOf } from "./output/report.ts";
import { UserError } from "../core/error.ts";
import { VERSION } from "../core/version.ts";
import { readVariable } from "../config/host_environment.ts";
import { writeAll } from "./output/write_all.ts";

/** Runs the command line and ends the process with its exit code. */
export async function main(args: readonly string[]): Promise<void> {
  const debug = readFlag("SANDPIPER_DEBUG");
  try {
    Deno.exit(await dispatch(args));
  } catch (error) {
    writeAll(Deno.stderr, errorBlock(error, debug, columnsOf(Deno.stderr)));
    Deno.exit(exitCodeOf(error));
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  const isPacked = await holdsPack();
  if (isPacked) (await import("./carried_pack.ts")).takeCarriedPack();
  const invocation = parseCommandLine(args);
  const { values } = invocation;
  if (values["version"]) return say(isPacked ? await packedVersion() : `sandpiper ${VERSION}\n`);
  if (values["fingerprint"]) return say(`${await fingerprint(isPacked)}\n`);
  if (values["help"]) {
    const { helpText, helpPlaces } = await import("./commands/help.ts");
    return say(helpText(invocation.command, helpPlaces()));
  }
  switch (invocation.command) {
    case "demo":
      return (await import("./modes/run.ts")).runDemo(invocation);
    case "prompt":
      return (await import("./commands/prompt.ts")).promptCommand(invocation);
    case "policy":
      return (await import("./commands/policy.ts")).policyCommand(invocation);
    case "doctor":
      return (await import("./commands/doctor.ts")).doctorCommand(invocation);
    case "models":
      return (await import("./commands/models.ts")).modelsCommand(invocation);
    case "sessions":
      return (await import("./commands/sessions.ts")).sessionsCommand(invocation);
    case "batch":
      return (await import("./batch/command.ts")).batchCommand(invocation);
    case "check":
      return (await import("./check/command.ts")).checkCommand(invocation);
    case "undo":
      return (await import("./commands/undo.ts")).undoCommand(invocation);
    case "apply":
      return (await import("./commands/apply.ts")).applyCommand(invocation);
    case "audit":
      return (await import("./commands/audit.ts")).auditCommand(invocation);
    case "agents":
      return (await import("./commands/agents.ts")).agentsCommand(invocation);
    case "skills":
      return (await import("./commands/skills.ts")).skillsCommand(invocation);
    case "tool":
      return (await import("./commands/tool.ts")).toolCommand(invocation);
    case "mcp":
      return (await import("./commands/mcp.ts")).mcpCommand(invocation);
    case "pack":
      return (await import("./commands/pack.ts")).packCommand(invocation);
    case "completions":
      return (await import("./commands/completions.ts")).completionsCommand(invocation);
    case "update":
      return (await import("./commands/update.ts")).updateCommand(invocation);
    case "acp":
      return (await import("./acp/run.ts")).acpCommand(invocation);
    case undefined:
      return (await import("./modes/run.ts")).run(invocation);
    default:
      throw new Error(`no handler for ${invocation.command} of ${COMMANDS.length} commands`);
  }
}

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

function readFlag(name: string): boolean {
  return (readVariable(name) ?? "") !== "";
}

/** Whether something was packed into this program: all that a start without a pack knows of them. */
export async function holdsPack(): Promise<boolean> {
  if (!Deno.build.standalone) return false;
  const { holdsPack } = await import("../pack/carrier.ts");
  return holdsPack(Deno.execPath()) ?? (await import("../engine/resources/bundled.ts")).isOwnBuild();
}
