import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { counted } from "../core/support/text.ts";
import { cleanLine, cleanText } from "./clean.ts";

// What a server asks of the user, if the settings of the server allow it to ask.

/** How the user is asked. Each question settles when the signal aborts; undefined: no answer. */
export interface AskUser {
  readonly select: (title: string, options: readonly string[], signal: AbortSignal) => Promise<string | undefined>;
  readonly input: (title: string, placeholder: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** What the user answered a form with; `content` has the fields that were filled in. */
export type FormAnswer =
  | { readonly action: "decline" | "cancel" }
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> };

/** Of a server's message, Unicode characters. */
const MAX_MESSAGE = 1_000;
const MAX_FIELDS = 20;
const MAX_OPTIONS = 50;
/** Answers to one field that do not fit, after which the form is given up. */
const MAX_TRIES = 3;

const [ANSWER, DECLINE, OMIT] = ["Answer", "Decline", "(leave out)"];

type Value = string | number | boolean | string[];

/** The user leaves a field out. */
const OMITTED = Symbol("omitted");

/** Asks the user for the fields of a form, one after the other. Fields that are left out get their default. */
export async function askForm(
  server: string,
  { message, requestedSchema }: { readonly message: string; readonly requestedSchema?: JsonObject },
  ask: AskUser,
  signal: AbortSignal,
): Promise<FormAnswer> {
  const title = `The MCP server "${cleanLine(server, 40)}" asks: ${cleanText(message, MAX_MESSAGE)}`;
  const chosen = await ask.select(title, [ANSWER, DECLINE], signal);
  if (chosen !== ANSWER) return { action: chosen === DECLINE ? "decline" : "cancel" };
  const properties = isObject(requestedSchema?.["properties"]) ? requestedSchema["properties"] : {};
  const required = Array.isArray(requestedSchema?.["required"]) ? requestedSchema["required"] : [];
  const content: Record<string, Value> = {};
  for (const [name, schema] of Object.entries(properties).slice(0, MAX_FIELDS)) {
    const field = isObject(schema) ? schema : {};
    const isRequired = required.includes(name) && field["default"] === undefined;
    const value = await askField(name, field, isRequired, ask, signal);
    if (value === undefined || (value === OMITTED && isRequired)) return { action: "cancel" };
    if (value !== OMITTED) content[name] = value;
    else if (field["default"] !== undefined) content[name] = field["default"] as Value; // checked by the library
  }
  return { action: "accept", content };
}

/** Undefined if the user closed the question or gave no answer that fits: then the server gets no part of the form. */
async function askField(
  name: string,
  field: JsonObject,
  isRequired: boolean,
  ask: AskUser,
  signal: AbortSignal,
): Promise<Value | typeof OMITTED | undefined> {
  const title = titleOf(name, field, isRequired);
  const choices = field["type"] === "boolean" ? YES_NO : choicesOf(field);
  if (choices.length > 0) {
    const chosen = await ask.select(
      title,
      [...choices.map(({ shown }) => shown), ...(isRequired ? [] : [OMIT])],
      signal,
    );
    return chosen === OMIT ? OMITTED : choices.find(({ shown }) => shown === chosen)?.value;
  }
  const listed = isObject(field["items"]) ? choicesOf(field["items"]) : [];
  const shownDefault = field["default"] === undefined ? "" : cleanLine(String(field["default"]), 100);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const text = await ask.input(tries === 0 ? title : `${title} (the last answer does not fit)`, shownDefault, signal);
    if (text === undefined) return undefined;
    if (text === "") return OMITTED;
    const value = valueOf(text, field, listed);
    if (value !== undefined) return value;
  }
  return undefined;
}

function valueOf(text: string, { type }: JsonObject, listed: readonly Choice[]): Value | undefined {
  if (type === "array") {
    const found = text.split(",").map((part) =>
      listed.find(({ shown, value }) => [shown, value].includes(part.trim()))
    );
    return found.includes(undefined) ? undefined : found.map((choice) => String(choice?.value));
  }
  if (type !== "number" && type !== "integer") return text;
  const number = Number(text);
  return text.trim() === "" || !Number.isFinite(number) || (type === "integer" && !Number.isInteger(number))
    ? undefined
    : number;
}

interface Choice {
  readonly shown: string;
  readonly value: string | boolean;
}

const YES_NO: readonly Choice[] = [{ shown: "Yes", value: true }, { shown: "No", value: false }];

/** The values that a field may have, as the user sees them. */
function choicesOf(field: JsonObject): readonly Choice[] {
  const { enum: values, enumNames: names, oneOf, anyOf } = field;
  const titled = [oneOf, anyOf].find(Array.isArray);
  const all = titled
    ? titled.flatMap((one: JsonValue) => isObject(one) ? [[one["const"], one["title"]] as const] : [])
    : (Array.isArray(values) ? values : []).map((value, at) =>
      [value, Array.isArray(names) ? names[at] : value] as const
    );
  return all.slice(0, MAX_OPTIONS).flatMap(([value, shown]) =>
    typeof value === "string" ? [{ value, shown: cleanLine(typeof shown === "string" ? shown : value, 100) }] : []
  );
}

function titleOf(name: string, { title, description, items }: JsonObject, isRequired: boolean): string {
  const shown = cleanLine(typeof title === "string" ? title : name, 100);
  const told = typeof description === "string" ? `: ${cleanLine(description, 300)}` : "";
  const listed = isObject(items) ? choicesOf(items).map((choice) => choice.shown).join(", ") : "";
  return `${shown}${told}${listed === "" ? "" : ` (any of ${listed}; with commas)`}${isRequired ? "" : " (optional)"}`;
}

/** What a server wants the model to answer. */
export interface SamplingRequest {
  readonly system: string;
  readonly text: string;
  readonly maxTokens: number;
}

/** Messages of a server as one text; parts that are not text are named. Undefined if there is nothing in them. */
export function samplingRequest(
  { messages, systemPrompt, maxTokens }: {
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly systemPrompt?: string | undefined;
    readonly maxTokens: number;
  },
): SamplingRequest {
  const texts = messages.slice(0, 64).map(({ role, content }) => {
    const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
    const said = parts.map((part) =>
      isObject(part) && typeof part["text"] === "string" ? part["text"] : "[a part that is not text is left out]"
    ).join("\n");
    return messages.length === 1 ? said : `${role}: ${said}`;
  });
  return {
    system: cleanText(systemPrompt ?? "", 16_384),
    text: cleanText(texts.join("\n\n"), 65_536),
    maxTokens: Math.max(1, Math.min(maxTokens, 8_192)),
  };
}

const ALLOW = "Allow this request";

/** Whether the user lets the model answer a server. */
export async function allowsSampling(
  server: string,
  { system, text }: SamplingRequest,
  ask: AskUser,
  signal: AbortSignal,
): Promise<boolean> {
  const all = [system, text].filter((part) => part !== "").join("\n\n");
  const hidden = all.length - MAX_MESSAGE;
  const title = `The MCP server "${cleanLine(server, 40)}" wants your model to answer, at your cost: ` +
    cleanText(all, MAX_MESSAGE) + (hidden > 0 ? ` (${counted(hidden, "more character")} not shown)` : "");
  return await ask.select(title, [ALLOW, "Deny"], signal) === ALLOW;
}
