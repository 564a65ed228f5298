import { COMMANDS } from "./commands.ts";
import { parseCommandLine } from "./parse.ts";
import { errorBlock, exitCodeOf } from "./report.ts";
import { VERSION } from "./version.ts";
import { readVariable } from "./world.ts";
import { writeAll } from "./write_all.ts";

/** Runs the command line and ends the process with its exit code. */
export async function main(args: readonly string[]): Promise<void> {
  const debug = readFlag("SANDPIPER_DEBUG");
  try {
    Deno.exit(await dispatch(args));
  } catch (error) {
    writeAll(Deno.stderr, errorBlock(error, debug));
    Deno.exit(exitCodeOf(error));
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  const invocation = parseCommandLine(args);
  if (invocation.values["version"]) return say(`sandpiper ${VERSION}\n`);
  if (invocation.values["help"]) {
    const [{ helpText }, { helpPlaces }] = await Promise.all([import("./help.ts"), import("./help_places.ts")]);
    return say(helpText(invocation.command, helpPlaces()));
  }
  switch (invocation.command) {
    case "demo":
      return (await import("./run.ts")).runDemo(invocation);
    case "prompt":
      return (await import("./command_prompt.ts")).promptCommand(invocation);
    case "policy":
      return (await import("./command_policy.ts")).policyCommand(invocation);
    case "doctor":
      return (await import("./command_doctor.ts")).doctorCommand(invocation);
    case "sessions":
      return (await import("./command_sessions.ts")).sessionsCommand(invocation);
    case "audit":
      return (await import("./command_audit.ts")).auditCommand(invocation);
    case "skills":
      return (await import("./command_skills.ts")).skillsCommand(invocation);
    case "tool":
      return (await import("./command_tool.ts")).toolCommand(invocation);
    case "acp":
      return (await import("./acp/run.ts")).acpCommand(invocation);
    case undefined:
      return (await import("./run.ts")).run(invocation);
    default:
      throw new Error(`no handler for ${invocation.command} of ${COMMANDS.length} commands`);
  }
}

function say(text: string): number {
  writeAll(Deno.stdout, text);
  return 0;
}

function readFlag(name: string): boolean {
  return (readVariable(name) ?? "") !== "";
}
