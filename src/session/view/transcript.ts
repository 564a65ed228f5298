import { isSystemPrompt } from "../entry_shape.ts";
import { compactionSizes } from "../../core/support/text.ts";
import { modelName } from "../../core/provider.ts";
import type { JsonObject } from "../../core/json.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  type ImageContent,
  type TextContent,
  textOf,
} from "../../core/message.ts";
import { entryMessage, type SessionEntry } from "../../core/session.ts";

/** A piece of what a reader sees; texts are as they are stored. */
export type Part =
  /** What a model wrote: Markdown. */
  | { readonly kind: "prose"; readonly text: string }
  | { readonly kind: "plain"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "call"; readonly tool: string; readonly args: JsonObject; readonly refused?: string }
  /** What a tool or a command printed, or why something failed. */
  | { readonly kind: "output"; readonly title: string; readonly text: string; readonly isError: boolean }
  | { readonly kind: "image"; readonly mimeType: string; readonly data: string };

/** One thing that happened, as every readable form of a session shows it. */
export interface Item {
  readonly entryId: string;
  /** As it is stored. */
  readonly timestamp: string;
  readonly kind: "user" | "assistant" | "tool" | "command" | "summary" | "extension" | "note";
  readonly title: string;
  /** The name that a person gave it. */
  readonly label?: string;
  /** Written by this program for the model, such as the time of a prompt. */
  readonly isRuntime?: boolean;
  readonly parts: readonly Part[];
}

/** Types of entries that are not part of the conversation. */
const BESIDE: ReadonlySet<string> = new Set(["custom", "label", "session_info"]);

/**
 * What a reader sees of entries, in their order.
 *
 * Nothing that a compaction stands for is left out (R300), and neither is what the model does not get. Data beside the
 * conversation is.
 */
export function transcriptOf(entries: readonly SessionEntry[], labels: ReadonlyMap<string, string>): readonly Item[] {
  return entries.filter(({ type }) => !BESIDE.has(type)).map((entry) => {
    const { id: entryId, timestamp } = entry;
    const label = labels.get(entryId);
    return { entryId, timestamp, ...(label === undefined ? {} : { label }), ...describe(entry) };
  });
}

type Description = Pick<Item, "kind" | "title" | "parts" | "isRuntime">;

/** `customType` of the messages that this program itself adds to a conversation. */
const RUNTIME = "runtime_metadata";

function describe(entry: SessionEntry): Description {
  const message = entryMessage(entry);
  if (message !== undefined) return describeMessage(message);
  switch (entry.type) {
    case "model_change":
      return note(`Model: ${modelName({ provider: entry.provider, id: entry.modelId })}`);
    case "thinking_level_change":
      return note(`Thinking: ${entry.thinkingLevel}`);
    case "context_edit": {
      const { targetId, replacement } = entry;
      if (replacement === null) return note(`Entry ${targetId} is no longer sent`);
      return note(`Entry ${targetId} is sent as`, contentParts(replacement.content));
    }
    default:
      if (isSystemPrompt(entry)) return note("System prompt of the program that wrote this session; it is not sent");
      return note(`An entry of type ${String(entry.type)}, which this program cannot show`);
  }
}

function describeMessage(message: AgentMessage): Description {
  switch (message.role) {
    case "user":
      return { kind: "user", title: "User", parts: contentParts(message.content) };
    case "assistant":
      return {
        kind: "assistant",
        title: message.model === "" ? "Assistant" : `Assistant (${message.model})`,
        parts: assistantParts(message),
      };
    case "toolResult": {
      const { toolName, isError, content } = message;
      return {
        kind: "tool",
        title: `${isError ? "Error" : "Result"} of ${toolName || "a tool"}`,
        parts: [
          { kind: "output", title: "Output", text: textOf(content), isError },
          ...content.filter((part) => part.type === "image").map(imagePart),
        ],
      };
    }
    case "bashExecution": {
      const { command, output, exitCode, cancelled, excludeFromContext } = message;
      const ending = cancelled ? "cancelled" : exitCode === undefined ? "no exit code" : `exit code ${exitCode}`;
      return {
        kind: "command",
        title: `Command of the user${excludeFromContext ? ", kept from the model" : ""}`,
        parts: [
          { kind: "plain", text: `${excludeFromContext ? "!!" : "!"}${command}` },
          { kind: "output", title: `Output (${ending})`, text: output, isError: cancelled || (exitCode ?? 0) !== 0 },
        ],
      };
    }
    case "compactionSummary":
      return {
        kind: "summary",
        title: `Compaction of the conversation above: ${compactionSizes(message)}`,
        parts: [{ kind: "prose", text: message.summary }],
      };
    case "branchSummary":
      return {
        kind: "summary",
        title: `Summary of the branch that ended at ${message.fromId}`,
        parts: [{ kind: "prose", text: message.summary }],
      };
    case "custom":
      if (message.customType === RUNTIME) {
        return { kind: "note", title: "For the model", parts: contentParts(message.content), isRuntime: true };
      }
      return {
        kind: "extension",
        title: `Message of extension ${message.customType}${message.display ? "" : ", not shown on screens"}`,
        parts: contentParts(message.content),
      };
  }
}

function assistantParts({ content, stopReason, errorMessage, failure }: AssistantMessage): readonly Part[] {
  const parts = content.map((part): Part => {
    switch (part.type) {
      case "text":
        return { kind: "prose", text: part.text };
      case "thinking":
        return { kind: "thinking", text: part.thinking };
      case "toolCall": {
        const refused = part.refused && { refused: part.refused.reason };
        return { kind: "call", tool: part.name, args: part.arguments, ...refused };
      }
    }
  });
  if (stopReason === "stop" || stopReason === "toolUse") return parts;
  const why = { error: "The request failed", aborted: "Aborted", length: "Cut by the output limit" }[stopReason];
  return [...parts, { kind: "output", title: why, text: errorMessage ?? failure?.message ?? "", isError: true }];
}

function contentParts(content: string | readonly (TextContent | ImageContent)[]): readonly Part[] {
  if (typeof content === "string") return [{ kind: "plain", text: content }];
  return content.map((part) => part.type === "text" ? { kind: "plain", text: part.text } : imagePart(part));
}

function imagePart({ mimeType, data }: ImageContent): Part {
  return { kind: "image", mimeType, data };
}

function note(title: string, parts: readonly Part[] = []): Description {
  return { kind: "note", title, parts };
}

/** Formats that browsers show as a picture and nothing else: an SVG is a document. */
const TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Whether a picture's type and data may stand in an address as they are. */
export function isPicture({ mimeType, data }: { readonly mimeType: string; readonly data: string }): boolean {
  return TYPES.has(mimeType) && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

/** What a call is about, in a few words of its own: its command, its path, or its first text. */
export function gistOf(args: JsonObject): string {
  for (const key of ["command", "path", "pattern", "url", "name"]) {
    if (typeof args[key] === "string") return args[key];
  }
  return Object.values(args).find((value) => typeof value === "string") ?? "";
}
