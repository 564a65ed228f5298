// What was learned of endpoints is kept beside the user's settings: by origin and model, without keys, paths or queries.
import { join } from "@std/path";
import type { Config } from "../../config/config.ts";
import { messageOf } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { replaceFile } from "../../core/support/replace_file.ts";
import {
  type CapabilityMemory,
  readCapabilities,
  type SomeCapabilities,
} from "../../provider/capabilities/capabilities.ts";

/** The file's name. */
export const LEARNED_FILE = "learned_endpoints.json";

/** Models of one endpoint, and endpoints; the newest are kept. */
const MOST = 100;

/** A larger file is none of ours. Bytes. */
const MOST_BYTES = 1024 * 1024;

/**
 * Opens the memory of an endpoint for a model. Nothing is read before it is asked for. A file that cannot be understood is
 * told of, once, and begun anew with the next thing that is learned. With `--no-session` nothing is written.
 */
export function openLearned(
  { baseUrl, model }: { readonly baseUrl: string; readonly model: string },
  { stateFolder, invocation: { values } }: Pick<Config, "stateFolder" | "invocation">,
): CapabilityMemory {
  const path = stateFolder === undefined ? undefined : join(stateFolder, LEARNED_FILE);
  const { origin } = new URL(baseUrl);
  const warnings: string[] = [];
  const tell = (warning: string): void => void warnings.push(warning);
  let learned: SomeCapabilities = {};
  let wasRead = false;

  function recall(): SomeCapabilities {
    if (wasRead) return learned;
    wasRead = true;
    const read = path === undefined ? { endpoints: {} } : endpointsIn(path);
    if (read.problem !== undefined) tell(`what was learned of endpoints is left out: ${path} ${read.problem}`);
    const models = read.endpoints[origin];
    const found = isObject(models) && Object.hasOwn(models, model) ? readCapabilities(models[model]) : {};
    if (!found) tell(`what was learned of ${model} at ${origin} is left out: ${path} is damaged there`);
    return learned = { ...found, ...learned };
  }

  function save(change: SomeCapabilities): void {
    if (path === undefined || stateFolder === undefined || values["no-session"]) return;
    // Another process may have learned something in the meantime.
    const { endpoints } = endpointsIn(path);
    const models = isObject(endpoints[origin]) ? endpoints[origin] : {};
    const before = Object.hasOwn(models, model) ? readCapabilities(models[model]) : {};
    const after = merged(before ?? {}, change);
    const file = { version: 1, endpoints: newest(endpoints, origin, newest(models, model, after as JsonObject)) };
    Deno.mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    replaceFile(path, JSON.stringify(file, undefined, 1) + "\n");
  }

  return {
    recall,
    warnings: () => warnings.splice(0),
    remember(change) {
      learned = merged(recall(), change);
      try {
        save(change);
      } catch (error) {
        tell(`what was learned of ${model} at ${origin} is not kept: ${messageOf(error)}`);
      }
    },
  };
}

function merged(before: SomeCapabilities, change: SomeCapabilities): SomeCapabilities {
  const { efforts } = change;
  return { ...before, ...change, ...(efforts ? { efforts: { ...before.efforts, ...efforts } } : {}) };
}

/** An object with one entry set, as its last one, and the oldest left out. */
function newest(object: JsonObject, name: string, value: JsonObject): JsonObject {
  const others = Object.entries(object).filter(([other]) => other !== name).slice(1 - MOST);
  return Object.fromEntries([...others, [name, value]]);
}

function endpointsIn(path: string): { readonly endpoints: JsonObject; readonly problem?: string } {
  try {
    const { size, isFile } = Deno.statSync(path);
    if (!isFile) return { endpoints: {}, problem: "is no file" };
    if (size > MOST_BYTES) return { endpoints: {}, problem: `has more than ${MOST_BYTES} bytes` };
    const value: unknown = JSON.parse(Deno.readTextFileSync(path));
    const isOurs = isObject(value) && value.version === 1 && isObject(value.endpoints);
    return isOurs ? { endpoints: value.endpoints as JsonObject } : { endpoints: {}, problem: "has no endpoints in it" };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { endpoints: {} };
    return { endpoints: {}, problem: `cannot be read: ${messageOf(error)}` };
  }
}
