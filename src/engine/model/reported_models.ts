import { join } from "@std/path";
import type { Config } from "../../config/config.ts";
import { attempt } from "../../core/support/attempt.ts";
import { replaceFile } from "../../core/support/replace_file.ts";

/** Beside the user's settings: local models of which it was said that nothing is known of them. */
const NAME = "told_models.json";

/** The newest names are kept. */
const MOST = 200;

/** What was said in this process, for where nothing may be kept. */
const told = new Set<string>();

/**
 * Whether something about a model is to be said for the first time; from now on it is not. Where nothing can be kept it is
 * said once in each process. Never throws: a warning too many does no harm.
 */
export function isFirstReport(model: string, { stateFolder, invocation: { values } }: Config): boolean {
  if (told.has(model)) return false;
  told.add(model);
  if (stateFolder === undefined) return true;
  const path = join(stateFolder, NAME);
  const before = namesIn(path);
  if (before.includes(model)) return false;
  if (values["no-session"]) return true;
  // Where it fails, it is said again next time.
  attempt(() => {
    Deno.mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    replaceFile(path, JSON.stringify([...before, model].slice(-MOST)) + "\n");
  });
  return true;
}

function namesIn(path: string): readonly string[] {
  const names: unknown = attempt(() => JSON.parse(Deno.readTextFileSync(path)));
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}
