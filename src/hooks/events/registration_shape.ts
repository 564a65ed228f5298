import type { Registration } from "./extension.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { isList, isTexts } from "./json_text.ts";
import { isEvent } from "./decisions.ts";

/** Most things of a kind that an extension may bring. */
const MAX_ITEMS = 200;

/** A tool's name as providers take it. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** A command's or flag's name: no blank, no control, no leading dash. */
const WORD = /^[^\s\p{C}\-/][^\s\p{C}]{0,63}$/u;

/** Checks a tool without its function; throws with a sentence for the extension's author. */
export function checkTool(tool: unknown): asserts tool is JsonObject & Registration["tools"][number] {
  if (!isObject(tool)) throw new TypeError("registerTool() needs an object");
  const { name, description, promptSnippet, promptGuidelines, parameters } = tool;
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    throw new TypeError("registerTool(): a name is 1 to 64 letters, digits, _ and -");
  }
  const fail = (why: string): never => {
    throw new TypeError(`registerTool("${name}"): ${why}`);
  };
  if (typeof description !== "string" || description === "") fail("description must be a text");
  if (promptSnippet !== undefined && typeof promptSnippet !== "string") fail("promptSnippet must be a text");
  if (promptGuidelines !== undefined && !isTexts(promptGuidelines)) fail("promptGuidelines must be a list of texts");
  if (!isObject(parameters) || parameters["type"] !== "object") {
    fail('parameters must be a JSON Schema with type "object"');
  }
}

/** Checks the name of a command or a flag. */
export function checkWord(kind: "command" | "flag", name: unknown): asserts name is string {
  if (typeof name !== "string" || !WORD.test(name)) {
    throw new TypeError(
      `${kind === "flag" ? "registerFlag" : "registerCommand"}(): ${JSON.stringify(name)} is no name`,
    );
  }
}

/** What a worker says that its extension brings, checked; throws when anything has the wrong shape. */
export function readRegistration(value: JsonValue): Registration {
  if (!isObject(value)) throw new Error("its registration is no object");
  const { events, tools, commands, flags } = value;
  if (!isTexts(events) || !events.every(isEvent) || !isList(tools) || !isList(commands) || !isList(flags)) {
    throw new Error("its registration is incomplete");
  }
  for (const items of [events, tools, commands, flags]) {
    if (items.length > MAX_ITEMS) throw new Error(`it registers more than ${MAX_ITEMS} things of a kind`);
  }
  return { events, tools: tools.map(readTool), commands: commands.map(readCommand), flags: flags.map(readFlag) };
}

function readTool(tool: JsonValue): Registration["tools"][number] {
  checkTool(tool);
  const { name, description, promptSnippet, promptGuidelines, parameters } = tool;
  return {
    ...{ name, description, parameters },
    ...(promptSnippet === undefined ? {} : { promptSnippet }),
    ...(promptGuidelines === undefined ? {} : { promptGuidelines }),
  };
}

function readCommand(command: JsonValue): Registration["commands"][number] {
  const { name, description } = isObject(command) ? command : {};
  checkWord("command", name);
  return { name, description: typeof description === "string" ? description : "" };
}

function readFlag(flag: JsonValue): Registration["flags"][number] {
  const { name, type, description, default: standard } = isObject(flag) ? flag : {};
  checkWord("flag", name);
  if (type !== "boolean" && type !== "string") {
    throw new TypeError(`registerFlag("${name}"): type is boolean or string`);
  }
  const isValue = type === "boolean" ? typeof standard === "boolean" : typeof standard === "string";
  return {
    ...{ name, type, description: typeof description === "string" ? description : "" },
    ...(isValue ? { default: standard as boolean | string } : {}), // just checked
  };
}
