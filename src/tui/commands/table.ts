import type { CommandView } from "../../core/engine.ts";
import type { CommandContext, SlashCommand } from "./command.ts";
import { allowCommand } from "./allow.ts";
import { agentsCommand } from "./agents.ts";
import { modelCommand, thinkingCommand, toolsCommand } from "./model.ts";
import {
  clearCommand,
  compactCommand,
  copyCommand,
  exportCommand,
  forkCommand,
  labelCommand,
  nameCommand,
  reloadCommand,
  treeCommand,
} from "./session.ts";
import { resumeCommand } from "./resume.ts";
import { redoCommand, undoCommand } from "./undo.ts";
import { trialCommand } from "./trial.ts";
import { themeCommand } from "./theme.ts";
import { backgroundCommand } from "./background.ts";
import { planCommand } from "./plan.ts";
import { auditCommand, costCommand, outputCommand, policyCommand, promptCommand, skillsCommand } from "./show.ts";

/** All commands of the program itself, in the order in which help shows them. */
export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: "help", help: "this page", run: helpCommand },
  { name: "model", args: "[ID]", help: "choose the model", run: modelCommand },
  { name: "thinking", args: "[LEVEL]", help: "how much the model thinks", run: thinkingCommand },
  {
    name: "theme",
    args: "[NAME]",
    help: "the colours: dark, light, or what the terminal says",
    run: themeCommand,
  },
  { name: "tools", args: "[+NAME -NAME]", help: "show tools, switch them on and off", run: toolsCommand },
  {
    name: "plan",
    args: "[TEXT]",
    help: "plan first, write nothing: accept, edit, refuse, off",
    run: planCommand,
  },
  { name: "background", args: "[stop ID]", help: "commands in the background, and their end", run: backgroundCommand },
  { name: "allow", args: "[WHAT]", help: "grant something that was denied in this session", run: allowCommand },
  { name: "policy", help: "what tools may do, and what enforces it", run: policyCommand },
  { name: "prompt", args: "[full]", help: "the system prompt: sections, sizes, diagnostics", run: promptCommand },
  { name: "skills", help: "the skills that were found", run: skillsCommand },
  { name: "compact", args: "[FOCUS]", help: "shorten the conversation now", run: compactCommand },
  { name: "tree", help: "go to another place in this session", run: treeCommand },
  { name: "undo", help: "put files back as they were before a message", run: undoCommand },
  { name: "redo", help: "take the last undo back", run: redoCommand },
  { name: "trial", help: "work on a private copy; again: see and take changes", run: trialCommand },
  { name: "fork", help: "a new session from an earlier message", run: forkCommand },
  { name: "resume", args: "[ID]", help: "go on with another session", run: resumeCommand },
  { name: "name", args: "[TEXT]", help: "name this session", run: nameCommand },
  { name: "label", args: "[TEXT]", help: "name the newest message", run: labelCommand },
  { name: "export", args: "[FILE]", help: "write the session to a file", run: exportCommand },
  { name: "copy", help: "the newest answer into the clipboard", run: copyCommand },
  { name: "reload", help: "read settings, context, skills, extensions anew", run: reloadCommand },
  { name: "output", help: "the newest tool call, and all that it said", run: outputCommand },
  { name: "audit", help: "each tool call: its command or path, what it was denied", run: auditCommand },
  { name: "agents", help: "the sub-agents: what each may change and does now", run: agentsCommand },
  { name: "cost", help: "tokens and money", run: costCommand },
  { name: "clear", help: "begin a new session", run: clearCommand },
  { name: "quit", help: "leave; the session is saved", run: ({ quit }) => quit() },
];

/** A typed `/name args`; undefined for a text that is none. A path such as `/etc/hosts` is none. */
export function parseSlash(text: string): { readonly name: string; readonly args: string } | undefined {
  const [, name, args = ""] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, args: args.trim() };
}

/** What can be called with a slash: the program's own commands, then those of extensions, templates and skills. */
export function allCommands(others: readonly CommandView[]): readonly { name: string; description: string }[] {
  const own = SLASH_COMMANDS.map(({ name, help }) => ({ name, description: help }));
  const taken = new Set(own.map(({ name }) => name));
  return [...own, ...others.filter(({ name }) => !taken.has(name))];
}

function helpCommand({ engine, world, page }: CommandContext): void {
  const others = engine.commands().filter(({ kind }) => kind !== "skill");
  const usage = ({ name, args }: SlashCommand): string => `/${name}${args ? ` ${args}` : ""}`;
  const widest = Math.max(...SLASH_COMMANDS.map((command) => usage(command).length));
  page((theme) => [
    theme.strong("Keys"),
    ...world.keys.rows.map(({ keys, does }) => `  ${theme.accent(keys.padEnd(widest))}  ${does}`),
    "",
    theme.strong("Commands"),
    ...SLASH_COMMANDS.map((command) => `  ${theme.accent(usage(command).padEnd(widest))}  ${command.help}`),
    ...(others.length > 0 ? ["", theme.strong("From extensions and templates")] : []),
    ...others.map(({ name, description }) => `  ${theme.accent(`/${name}`.padEnd(widest))}  ${description}`),
  ]);
}
