import type { Values } from "./parse.ts";

/** What a session does not know of itself, and the command line said. */
const REPEATED = ["base-url", "api", "api-key-env"] as const;

/**
 * The options with which a later start goes on with the same server. A base URL that only the command line names would
 * else be another one, which the conversation would be sent to; with it the model has to be named, too.
 */
export function resumeOptions(values: Values, model: { readonly provider: string; readonly id: string }): string[] {
  const place = values["session-dir"];
  const kept = typeof place === "string" ? ["--session-dir", place] : [];
  // A cassette has no server; the session knows its file.
  if (model.provider === "replay") return kept;
  const given = REPEATED.flatMap((name) => {
    const value = values[name];
    return typeof value === "string" ? [`--${name}`, value] : [];
  });
  if (values["base-url"] === undefined) return [...kept, ...given];
  // A prefix is taken off once: this one belongs to the name.
  const id = model.id.startsWith("openai/") ? `openai/${model.id}` : model.id;
  return [...kept, ...given, "--model", id];
}
