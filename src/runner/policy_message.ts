import type { JsonObject, JsonValue } from "../core/json.ts";
import type { Limits, Policy, SandboxLevel, Scope } from "../core/policy.ts";
import { ProtocolError } from "../core/protocol.ts";

const LEVELS: readonly SandboxLevel[] = ["kernel+", "kernel", "seatbelt", "permissions", "off"];

/** The policy in a `hello`; throws `ProtocolError` where a field is missing or of the wrong type. */
export function readPolicy(from: JsonObject): Policy {
  const field = <T>(name: string, check: (value: JsonValue | undefined) => T | undefined): T => {
    const value = check(from[name]);
    if (value === undefined) throw new ProtocolError(`the policy's ${name} is missing or wrong`);
    return value;
  };
  return {
    root: field("root", text),
    home: field("home", text),
    tmp: field("tmp", text),
    cache: field("cache", text),
    read: field("read", scope),
    write: field("write", scope),
    run: field("run", scope),
    net: field("net", scope),
    env: field("env", environment),
    denyRead: field("denyRead", texts),
    denyWrite: field("denyWrite", texts),
    protected: field("protected", texts),
    limits: field("limits", limits),
    sandbox: field("sandbox", (value) => LEVELS.find((level) => level === value)),
    ...(from["deniedFor"] === undefined ? {} : { deniedFor: field("deniedFor", reasons) }),
    ...(typeof from["copyOf"] === "string" ? { copyOf: from["copyOf"] } : {}),
    ...(from["readingOnly"] === true ? { readingOnly: true } : {}),
    ...(from["besideOthers"] === true ? { besideOthers: true } : {}),
    ...(typeof from["packed"] === "string" ? { packed: from["packed"] } : {}),
  };
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function texts(value: JsonValue | undefined): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}

function reasons(value: JsonValue | undefined): Policy["deniedFor"] {
  const [asked, own] = [texts(fields(value)?.["asked"]), texts(fields(value)?.["own"])];
  return asked && own && { asked, own };
}

function fields(value: JsonValue | undefined): JsonObject | undefined {
  // The checks leave an object; TypeScript does not narrow away a readonly array.
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as JsonObject : undefined;
}

function scope(value: JsonValue | undefined): Scope | undefined {
  const all = fields(value)?.["all"];
  const list = texts(fields(value)?.["list"]);
  return typeof all === "boolean" && list ? { all, list } : undefined;
}

function environment(value: JsonValue | undefined): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(fields(value) ?? { "": null });
  const given = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return given.length === entries.length ? Object.fromEntries(given) : undefined;
}

function limits(value: JsonValue | undefined): Limits | undefined {
  const from = fields(value);
  const number = (name: keyof Limits): number => {
    const limit = from?.[name];
    if (typeof limit !== "number") throw new ProtocolError(`the policy's limit ${name} is missing or wrong`);
    return limit;
  };
  return {
    bashTimeoutMs: number("bashTimeoutMs"),
    bashMaxTimeoutMs: number("bashMaxTimeoutMs"),
    outputBytes: number("outputBytes"),
    outputLines: number("outputLines"),
    fileBytes: number("fileBytes"),
    openFiles: number("openFiles"),
    processes: number("processes"),
    memoryBytes: number("memoryBytes"),
  };
}
