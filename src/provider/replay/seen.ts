import { isObject, type JsonObject } from "../../core/json.ts";

/** What a recorded run saw besides the model's replies: a line `{"seen": …}` of its cassette, which a replay passes over. */
export type Seen =
  | {
    readonly kind: "run";
    /** As the person wrote it: commands of skills and templates are not replaced in it. */
    readonly task: string;
    /** How it was given, and who read along: the prompt depends on it. */
    readonly channel: "text" | "json" | "stdin";
    /** Options of the command line that say what prompt, tools and limits are. */
    readonly options: readonly string[];
    /** Values that differ from run to run, by the name that stands for them. */
    readonly places: Readonly<Record<string, string>>;
  }
  /** A section of the prompt, when it is new or another than before; without a text when it is gone. */
  | { readonly kind: "section"; readonly id: string; readonly text?: string }
  /** The tools that go with the request, when they are others than before. */
  | { readonly kind: "tools"; readonly names: readonly string[]; readonly fingerprint: string }
  /** What hooks changed of the prompt. */
  | { readonly kind: "hooks"; readonly changes: readonly JsonObject[] }
  | {
    readonly kind: "result";
    readonly tool: string;
    readonly args: JsonObject;
    readonly text: string;
    readonly isError: boolean;
    /** What the policy refused to it, a sentence each. */
    readonly denied: readonly string[];
  }
  | { readonly kind: "end"; readonly outcome: string; readonly exitCode: number; readonly answer: string };

/** What a parsed line of a cassette says of what was seen; undefined for a reply. */
export function seenIn(line: unknown): Seen | undefined {
  if (!isObject(line) || !isObject(line["seen"])) return undefined;
  const { seen } = line;
  const { kind } = seen;
  const isWhole = kind === "run"
    ? typeof seen["task"] === "string" && Array.isArray(seen["options"]) && isObject(seen["places"])
    : kind === "section"
    ? typeof seen["id"] === "string"
    : kind === "tools"
    ? Array.isArray(seen["names"])
    : kind === "hooks"
    ? Array.isArray(seen["changes"])
    : kind === "result"
    ? typeof seen["tool"] === "string" && typeof seen["text"] === "string" && isObject(seen["args"]) &&
      Array.isArray(seen["denied"])
    : kind === "end" && typeof seen["outcome"] === "string";
  return isWhole ? seen as unknown as Seen : undefined; // each field that is read was looked at
}
