// What comes out of a session file is checked in place: a hundred thousand entries are not copied to be looked at.
import { attempt } from "../core/support/attempt.ts";
import type { ImageContent, TextContent } from "../core/message.ts";

/** An object fresh from a JSON parser, which nobody else holds. */
export type Fields = Record<string, unknown>;

/** Whether a value is an object and not an array. */
export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object that a line of JSON holds; undefined for anything else. */
export function parseObject(line: string): Fields | undefined {
  const value: unknown = attempt(() => JSON.parse(line));
  return isObject(value) ? value : undefined;
}

/** Removes an optional field that is not what it should be. */
export function keepOnly(fields: Fields, key: string, isGood: (value: unknown) => boolean): void {
  if (fields[key] !== undefined && !isGood(fields[key])) delete fields[key];
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
export const isNumber = (value: unknown): value is number => typeof value === "number";

/** Text and pictures as user, custom and result messages have them; undefined for what is neither. */
export function readContent(value: unknown): string | readonly (TextContent | ImageContent)[] | undefined {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  return Array.isArray(value) ? readParts(value) : undefined;
}

/** The parts that are text or a picture; the same array when all are. */
export function readParts(values: readonly unknown[]): readonly (TextContent | ImageContent)[] {
  return values.every(isPart) ? values : values.filter(isPart);
}

function isPart(value: unknown): value is TextContent | ImageContent {
  if (!isObject(value)) return false;
  if (value["type"] === "text") return isText(value["text"]);
  return value["type"] === "image" && isText(value["data"]) && isText(value["mimeType"]);
}

/** Makes a message's or a summary's `usage` whole, or removes it. */
export function mendUsage(fields: Fields): void {
  const usage = fields["usage"];
  if (usage === undefined) return;
  if (!isObject(usage)) {
    delete fields["usage"];
    return;
  }
  let total = 0;
  for (const key of ["input", "output", "cacheRead", "cacheWrite"]) {
    const count = usage[key];
    if (isNumber(count)) total += count;
    else usage[key] = 0;
  }
  if (!isNumber(usage["totalTokens"])) usage["totalTokens"] = total;
  keepOnly(usage, "cost", isCost);
}

function isCost(value: unknown): boolean {
  return isObject(value) && ["input", "output", "cacheRead", "total"].every((key) => isNumber(value[key]));
}
