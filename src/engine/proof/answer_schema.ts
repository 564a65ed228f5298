import { FileTooLarge, type NamedFiles } from "../../core/named_files.ts";
import type { Validator } from "@cfworker/json-schema";
import type { Verdict } from "../../agent/deps.ts";
import { isAbsolute, resolve } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { AssistantMessage, CustomMessage } from "../../core/message.ts";
import { jsonAnswer } from "./answer_text.ts";

/** How often an answer that does not fit goes back to the model. */
const CORRECTIONS = 2;

/** Violations that the model is told of at a time. */
const TOLD_VIOLATIONS = 10;

/** Places of a schema that one answer is compared with at the most: references can double them, again and again. */
const MOST_STEPS = 500_000;

/** Items of a list in an answer: where they have to differ each is compared with each other one. */
const MOST_ITEMS = 5_000;

/** Largest schema file in bytes: it goes into requests. */
const SCHEMA_BYTES = 256 * 1024;

/** The shape that the final answer of a run has to have. */
export interface AnswerSchema {
  readonly schema: JsonObject;
  /** What the model is told of it with its task. */
  readonly message: () => CustomMessage;
  /** A judge for one run: the answer fits, or goes back at most twice. */
  readonly judge: () => (answer: AssistantMessage) => Verdict;
}

/** Reads a JSON Schema (draft 2020-12). Throws UserError for a file that holds none. */
export async function readAnswerSchema(files: NamedFiles, path: string, cwd: string): Promise<AnswerSchema> {
  const schema = readSchema(files, isAbsolute(path) ? path : resolve(cwd, path), path);
  return await shapeOf(schema, `the schema "${path}"`, (why) => unusable(path, why));
}

/** The same for a schema that a program gives. Throws UserError for one that is none or is too large. */
export async function openAnswerSchema(schema: JsonObject): Promise<AnswerSchema> {
  const refused = (why: string): UserError =>
    new UserError({ what: "Cannot use answerSchema", why, fix: "Give a JSON Schema as an object" });
  if (!isObject(schema)) throw refused("a JSON object is wanted");
  if (JSON.stringify(schema).length > SCHEMA_BYTES) throw refused(`it has more than ${SCHEMA_BYTES} characters`);
  return await shapeOf(schema, "answerSchema", refused);
}

/** `name`: what the schema is called in the reason of a run that failed of it. */
async function shapeOf(
  schema: JsonObject,
  name: string,
  refused: (why: string) => UserError,
): Promise<AnswerSchema> {
  const odd = oddType(schema);
  if (odd !== undefined) throw refused(`it has the type ${JSON.stringify(odd)}, which JSON Schema does not know`);
  const { Validator, dereference } = await import("@cfworker/json-schema");
  const own = structuredClone(schema) as Record<string, unknown>; // the same object, without readonly
  const steps = { left: MOST_STEPS };
  let validator: Validator;
  try {
    const places = dereference(own);
    for (const place of new Set(Object.values(places))) {
      if (typeof place === "boolean") continue;
      const { __absolute_ref__: address, $ref, $recursiveAnchor: anchor } = place;
      if (address !== undefined && places[address] === undefined) throw new Error(`it has no ${$ref}`);
      // Read each time that a value is compared with this place, and by nobody else.
      Object.defineProperty(place, "$recursiveAnchor", { get: () => (countStep(steps), anchor) });
    }
    validator = new Validator(own, "2020-12", false);
    // References are followed only here.
    validator.validate(null);
  } catch (error) {
    throw refused(messageOf(error).split("\n")[0] ?? "");
  }
  return {
    schema,
    message: () => ({
      role: "custom",
      customType: "answer-schema",
      display: false,
      content:
        "Your final answer, the last message of this task, has to be one JSON value and nothing else: no words around " +
        `it, no code fence. It has to validate against this JSON Schema:\n\n${JSON.stringify(schema)}`,
      timestamp: Date.now(),
    }),
    judge: () => {
      let corrections = 0;
      return (answer) => {
        let wrong: string | undefined;
        try {
          steps.left = MOST_STEPS;
          wrong = violations(jsonAnswer(answer), validator);
        } catch (error) {
          return { kind: "fails", reason: `the answer cannot be compared with ${name}: ${messageOf(error)}` };
        }
        if (wrong === undefined) return { kind: "holds" };
        if (corrections++ >= CORRECTIONS) {
          const reason = `the answer does not fit ${name}: ${wrong.split("\n")[0]}`;
          return { kind: "fails", reason };
        }
        return { kind: "again", messages: [correction(wrong)], isBound: true };
      };
    },
  };
}

function longestList(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value).reduce<number>((most, one) => Math.max(most, longestList(one)), 0);
  return Array.isArray(value) ? Math.max(value.length, inner) : inner;
}

function countStep(steps: { left: number }): void {
  if (steps.left-- <= 0) throw new Error(`it leads to more than ${MOST_STEPS} comparisons`);
}

const TYPES: readonly unknown[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Keywords whose values are data and no schemas. */
const DATA = new Set(["const", "default", "enum", "examples", "required"]);

/** The first type that is none: nothing would ever fit it. `isNames`: the keys are names of properties or definitions. */
function oddType(schema: JsonValue, isNames = false): JsonValue | undefined {
  if (Array.isArray(schema)) return schema.map((one) => oddType(one)).find((one) => one !== undefined);
  if (!isObject(schema)) return undefined;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "type" && !isNames) {
      const odd = [value].flat().find((one) => !TYPES.includes(one));
      if (odd !== undefined) return odd;
    } else if (isNames || !DATA.has(key)) {
      const odd = oddType(
        value,
        !isNames && /^(?:properties|patternProperties|\$defs|definitions|dependentSchemas)$/.test(key),
      );
      if (odd !== undefined) return odd;
    }
  }
  return undefined;
}

/** What does not fit, one line each; undefined where everything does. */
function violations(text: string, validator: Validator): string | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return text === "" ? "the answer is empty" : `it is no JSON: ${messageOf(error)}`;
  }
  if (longestList(value) > MOST_ITEMS) return `a list in it has more than ${MOST_ITEMS} items`;
  const { valid, errors } = validator.validate(value);
  if (valid) return undefined;
  // The innermost violations say what to mend; those around them only that something inside is wrong.
  const inner = errors.filter(({ instanceLocation }) =>
    !errors.some((other) => other.instanceLocation.startsWith(`${instanceLocation}/`))
  );
  const lines = (inner.length > 0 ? inner : errors).slice(0, TOLD_VIOLATIONS).map(({ instanceLocation, error }) =>
    `${instanceLocation}: ${error}`
  );
  return [...new Set(lines)].join("\n");
}

function correction(wrong: string): CustomMessage {
  const content = `The answer does not fit the JSON Schema of this task:\n\n${wrong}\n\n` +
    "Give the whole answer again as one JSON value that validates, and nothing else.";
  return { role: "custom", customType: "answer-schema", content, display: true, timestamp: Date.now() };
}

function readSchema(files: NamedFiles, file: string, path: string): JsonObject {
  let text: string;
  try {
    text = new TextDecoder().decode(files.read(files.find(file, { access: "read", typed: true }), SCHEMA_BYTES));
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (error instanceof FileTooLarge) throw unusable(path, `it has more than ${SCHEMA_BYTES} bytes`);
    throw unusable(path, error instanceof Deno.errors.NotFound ? "it does not exist" : messageOf(error));
  }
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw unusable(path, messageOf(error));
  }
  if (!isObject(schema)) throw unusable(path, "a JSON object is wanted");
  return schema;
}

function unusable(path: string, why: string): UserError {
  return new UserError({
    what: `Cannot use the schema "${path}"`,
    why,
    fix: "Name a file with a JSON Schema after --output-schema",
  });
}
