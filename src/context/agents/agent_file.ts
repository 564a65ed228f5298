import { basename } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { Profile } from "../../core/prompt.ts";
import { nearest } from "../../core/support/nearest.ts";
import { countCharacters, stripControls } from "../../core/support/text.ts";
import { parseFrontMatter, textAfterBlock } from "../files/front_matter.ts";

/** An agent as its file describes it (docs/agents.md). Its scopes narrow what whoever starts it has, and grant nothing. */
export interface AgentFile {
  readonly name: string;
  /** When to use it: for the model. */
  readonly description: string;
  /** Names of its tools; absent: those of whoever starts it. */
  readonly tools?: readonly string[];
  /** `argument`: what the call names. A list: that, or what the call names of it; empty: nothing. */
  readonly write: "argument" | readonly string[];
  /** Absent: what whoever starts it may read. */
  readonly read?: readonly string[];
  /** Hosts; empty: none. Absent: those of whoever starts it. */
  readonly net?: readonly string[];
  /** Whether it may run programs, where whoever starts it may. */
  readonly run: boolean;
  /** Absent: the one that answers whoever starts it. */
  readonly model?: string;
  readonly maxTurns?: number;
  /** How much of the system prompt it gets; absent: as much as whoever starts it. */
  readonly prompt?: Profile;
  /** JSON Schema of its answer. */
  readonly answer?: JsonObject;
  /** What it is told beside the system prompt. */
  readonly instructions: string;
}

/** Names are typed, and stand in prompts. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;
const FIELDS = [
  "name",
  "description",
  "tools",
  "write",
  "read",
  "net",
  "run",
  "model",
  "max-turns",
  "prompt",
  "answer",
];

/** An agent with what is odd about its file, one clause each, or why it cannot be used. */
export type ReadAgent = { readonly agent: AgentFile; readonly warnings: readonly string[] } | {
  readonly rejected: string;
};

/** Reads the text of an agent's file. A value that is wrong rejects it; an unknown field and another name are warnings. */
export async function readAgent(path: string, text: string): Promise<ReadAgent> {
  const parsed = await parseFrontMatter(text);
  if ("error" in parsed) return { rejected: parsed.error };
  const { fields } = parsed;
  const own = basename(path).replace(/\.md$/, "");
  const problems: string[] = [];
  const bad = (field: string, what: string): undefined => void problems.push(`${field} must be ${what}`);
  const warnings = Object.keys(fields).filter((field) => !FIELDS.includes(field)).map((field) => {
    const meant = nearest(field, FIELDS);
    return `there is no field ${field}${meant === undefined ? ", so it has no effect" : `; did you mean ${meant}?`}`;
  });
  const { description } = fields;
  if ((fields["name"] ?? own) !== own) {
    warnings.push(`its field name says "${String(fields["name"])}", and its name is that of its file, ${own}`);
  }
  if (!NAME.test(own) || own.length > LONGEST_NAME) {
    problems.push("its name has small letters, digits and single hyphens");
  }
  if (
    typeof description !== "string" || description.trim() === "" || countCharacters(description) > LONGEST_DESCRIPTION
  ) {
    bad("description", `a text of at most ${LONGEST_DESCRIPTION} characters`);
  }
  const words = (field: string): readonly string[] | undefined => {
    const value = fields[field];
    if (value === undefined) return undefined;
    if (value === "none" || value === false) return [];
    const list = typeof value === "string" ? value.split(/[\s,]+/).filter(Boolean) : value;
    if (Array.isArray(list) && list.every((one) => typeof one === "string" && one !== "")) return list;
    return bad(field, "none or a list of texts");
  };
  const [tools, read, net] = [words("tools"), words("read"), words("net")];
  const write = fields["write"] === undefined || fields["write"] === "argument" ? "argument" : words("write") ?? [];
  const { run = true, model, prompt, answer, "max-turns": turns } = fields;
  if (typeof run !== "boolean") bad("run", "true or false");
  if (model !== undefined && typeof model !== "string") bad("model", "a name");
  if (prompt !== undefined && prompt !== "full" && prompt !== "minimal") bad("prompt", "full or minimal");
  const maxTurns = turns === undefined ? undefined : Number(turns);
  if (maxTurns !== undefined && !(Number.isSafeInteger(maxTurns) && maxTurns > 0)) {
    bad("max-turns", "a whole number above 0");
  }
  // Undefined stands for no schema: what is no JSON must not look like that.
  const schema = typeof answer === "string" ? attempt(() => JSON.parse(answer)) ?? null : answer;
  if (schema !== undefined && !isSchema(schema)) bad("answer", "a JSON Schema");
  if (problems.length > 0) return { rejected: problems.join("; ") };
  return {
    warnings,
    agent: {
      name: own,
      description: stripControls(String(description)).replace(/\s+/g, " ").trim(),
      ...(tools ? { tools } : {}),
      write,
      ...(read ? { read } : {}),
      ...(net ? { net } : {}),
      run: run === true,
      ...(typeof model === "string" ? { model } : {}),
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(prompt === undefined ? {} : { prompt: prompt as Profile }), // looked at above
      ...(isSchema(schema) ? { answer: schema } : {}),
      instructions: stripControls(textAfterBlock(text)),
    },
  };
}

/** YAML has values that JSON has not. */
function isSchema(value: unknown): value is JsonObject {
  return isObject(attempt(() => JSON.parse(JSON.stringify(value) ?? "null")));
}
