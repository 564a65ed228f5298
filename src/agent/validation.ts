import type * as z from "zod/mini";
import type { JsonObject } from "../core/json.ts";

type Issue = z.core.$ZodIssue;

/** What is wrong with a call's arguments, one line a field, for the model to correct (R241). */
export function describeIssues(issues: readonly Issue[], args: JsonObject): string {
  return issues.map((issue) => `- ${fieldOf(issue)}: ${complaintOf(issue, valueAt(args, issue.path))}`).join("\n");
}

function fieldOf(issue: Issue): string {
  return issue.path.length > 0 ? issue.path.map(String).join(".") : "arguments";
}

/** zod/mini has no sentences of its own (its language tables cost start-up time), so they are made from the codes. */
function complaintOf(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return `is required and must be of type ${issue.expected}`;
      return `must be of type ${issue.expected}, not ${typeName(value)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map((allowed) => JSON.stringify(allowed)).join(", ")}`;
    case "unrecognized_keys":
      return `has unknown ${issue.keys.length > 1 ? "fields" : "field"} ${issue.keys.join(", ")}`;
    case "too_small":
      return `is too small: at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `is too big: at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_union":
      return value === undefined ? "is required" : `fits none of the allowed forms; it is ${typeName(value)}`;
    default:
      return issue.message === "Invalid input" ? "has a value that is not allowed" : issue.message;
  }
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " entries" : "";
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
