import type { GetPromptResult } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { stripControls, stripUnseen, takeCharacters } from "../core/support/text.ts";
import { cleanLine } from "./clean.ts";

/** Prompts that one server may have. */
const MOST_PROMPTS = 64;
/** Of what a prompt gives, characters. */
const LONGEST = 65_536;

/** A prompt as its server describes it. */
export interface ListedPrompt {
  /** As the server knows it. */
  readonly name: string;
  readonly description: string;
  readonly args: readonly { readonly name: string; readonly isRequired: boolean }[];
}

const text = z.catch(z.optional(z.string()), undefined);
const listedPrompt = z.object({
  name: z.string(),
  description: text,
  title: text,
  arguments: z.catch(
    z.optional(z.array(z.object({ name: z.string(), required: z.catch(z.optional(z.boolean()), undefined) }))),
    undefined,
  ),
});

/** The prompts of a list that a server sent, as far as they have a usable name. */
export function usablePrompts(list: readonly unknown[]): readonly ListedPrompt[] {
  const names = new Set<string>();
  return list.slice(0, MOST_PROMPTS).flatMap((one) => {
    const prompt = listedPrompt.safeParse(one).data;
    if (!prompt || prompt.name === "" || prompt.name.length > 256 || names.has(prompt.name)) return [];
    names.add(prompt.name);
    const args = (prompt.arguments ?? []).slice(0, 16).map(({ name, required }) => ({
      name,
      isRequired: required === true,
    }));
    return [{ name: prompt.name, description: cleanLine(prompt.description ?? prompt.title ?? "", 200), args }];
  });
}

/**
 * The words behind `/name` as arguments of a prompt: `name=value` where that is an argument's name, else in their order; the
 * last argument takes the rest. Undefined where one is missing.
 */
export function promptArguments(
  words: readonly string[],
  args: ListedPrompt["args"],
): Readonly<Record<string, string>> | undefined {
  const given: Record<string, string> = {};
  for (const word of words) {
    const [, name = "", value = ""] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
    const next = args.find((arg) => !Object.hasOwn(given, arg.name))?.name;
    const last = args.at(-1)?.name;
    if (name !== "" && args.some((arg) => arg.name === name)) given[name] = value;
    else if (next !== undefined) given[next] = word;
    else if (last !== undefined) given[last] = `${given[last]} ${word}`;
  }
  return args.some(({ name, isRequired }) => isRequired && !Object.hasOwn(given, name)) ? undefined : given;
}

/** What a prompt gave, as the text of a user's message: the person asked for it by name, and the server wrote it. */
export function promptText(server: string, name: string, { messages }: GetPromptResult): string {
  const parts = messages.slice(0, 64).map(({ role, content }) => {
    const said = content.type === "text"
      ? content.text
      : content.type === "resource" && "text" in content.resource
      ? content.resource.text
      : `[a part of the kind ${content.type} is left out]`;
    return role === "assistant" ? `(as the assistant) ${said}` : said;
  });
  const body = takeCharacters(stripUnseen(stripControls(parts.join("\n\n"))), LONGEST).trim();
  return `[The prompt "${cleanLine(name, 60)}" of the MCP server "${cleanLine(server, 60)}"]\n${body}`;
}
