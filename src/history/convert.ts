import {
  type AgentMessage,
  type BashExecutionMessage,
  type BranchSummaryMessage,
  type CompactionSummaryMessage,
  type CustomMessage,
  isPlain,
  type Message,
  textOf,
  type UserMessage,
} from "../core/message.ts";

type OwnMessage = CustomMessage | BashExecutionMessage | CompactionSummaryMessage | BranchSummaryMessage;

/** The same message gives the same object in every request: adapters remember what they converted. */
const converted = new WeakMap<OwnMessage, UserMessage>();

/**
 * The messages of a request as providers take them (R196–R204).
 *
 * What providers know passes through as the same object; what is ours becomes a user's message or, where the person
 * kept a command from the model or nothing was said, nothing (R419). Runs after every hook that may change messages;
 * nobody can replace it.
 */
export function convertToLlm(messages: readonly AgentMessage[]): Message[] {
  const sent: Message[] = [];
  for (const message of messages) {
    if (isBlank(message)) continue;
    if (isPlain(message)) {
      sent.push(message);
    } else if (message.role !== "bashExecution" || !message.excludeFromContext) {
      sent.push(userMessage(message));
    }
  }
  return sent;
}

/** Servers refuse messages without content. Results stay: their calls need them. */
function isBlank(message: AgentMessage): boolean {
  if (message.role !== "user" && message.role !== "custom") return false;
  const { content } = message;
  return !/\S/.test(textOf(content)) && (typeof content === "string" || content.every(({ type }) => type === "text"));
}

function userMessage(message: OwnMessage): UserMessage {
  let user = converted.get(message);
  if (!user) {
    user = { role: "user", content: contentOf(message), timestamp: message.timestamp };
    converted.set(message, user);
  }
  return user;
}

function contentOf(message: OwnMessage): UserMessage["content"] {
  switch (message.role) {
    case "custom":
      return message.content;
    case "bashExecution":
      return bashText(message);
    case "compactionSummary":
      return "The conversation so far was shortened. This is what came before the messages below:\n\n" +
        tagged("summary", message.summary);
    case "branchSummary":
      return "We left another line of this conversation to go on from here. This is what happened there:\n\n" +
        tagged("summary", message.summary);
  }
}

/** What the model reads of a command that the person ran (R200). */
function bashText(run: BashExecutionMessage): string {
  const output = run.output.trimEnd();
  return [
    "I ran this command myself:",
    fenced(run.command),
    ...(output === "" ? ["It printed nothing."] : ["It printed:", fenced(output)]),
    ...notes(run),
  ].join("\n");
}

function notes({ cancelled, exitCode, truncated, fullOutputPath }: BashExecutionMessage): string[] {
  const lines: string[] = [];
  if (cancelled) lines.push("I stopped it before its end.");
  else if (exitCode === undefined) lines.push("It ended without an exit code.");
  else if (exitCode !== 0) lines.push(`It ended with exit code ${exitCode}.`);
  if (truncated && fullOutputPath !== undefined) lines.push(`The output is cut; all of it is in ${fullOutputPath}.`);
  else if (truncated) lines.push("The output is cut.");
  return lines;
}

/** The fence is longer than any run of backticks inside, so the text cannot end its block. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/**
 * A text between two tags of a line each. Closing tags inside the text are broken, so that nothing that was read from
 * a file can end the block early.
 */
export function tagged(name: string, text: string): string {
  return `<${name}>\n${text.replaceAll(`</${name}>`, `<\\/${name}>`).trim()}\n</${name}>`;
}
