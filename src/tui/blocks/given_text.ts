import { isObject, type JsonObject } from "../../core/json.ts";
import { cleanText } from "../screen/foreign.ts";

/** What a call would write, as it is in its arguments. */
export type GivenText =
  | { readonly kind: "text"; readonly lines: readonly string[]; readonly lang: string }
  /** Lines taken out and put in, each behind its sign. */
  | { readonly kind: "diff"; readonly lines: readonly string[] };

/** How the steps of a list are marked. */
const MARKS: ReadonlyMap<unknown, string> = new Map([["completed", "☑"], ["in_progress", "▸"], ["pending", "☐"]]);

/** What a call of `write` or `edit` is about to put into a file; undefined for every other call. */
export function givenText(name: string, args: JsonObject): GivenText | undefined {
  const { path, content, edits } = args;
  if (name === "write" && typeof content === "string") {
    const lang = typeof path === "string" ? /\.(\w+)$/.exec(path)?.[1] ?? "" : "";
    const lines = linesOf(content);
    return { kind: "text", lines: lines.length > 0 ? lines : ["(empty)"], lang };
  }
  if (name === "todo" && Array.isArray(args["items"])) {
    const lines = args["items"].map((item) => {
      const { text, state } = isObject(item) ? item : {};
      return `${MARKS.get(state) ?? "☐"} ${cleanText(typeof text === "string" ? text : "")}`;
    });
    return { kind: "text", lines: lines.length > 0 ? lines : ["(empty)"], lang: "" };
  }
  if (name !== "edit" || !Array.isArray(edits)) return undefined;
  const lines = edits.flatMap((edit, index) => {
    const { oldText, newText } = isObject(edit) ? edit : {};
    return [
      ...index > 0 ? [" ..."] : [],
      ...linesOf(oldText).map((line) => `- ${line}`),
      ...linesOf(newText).map((line) => `+ ${line}`),
    ];
  });
  return { kind: "diff", lines };
}

function linesOf(text: unknown): readonly string[] {
  if (typeof text !== "string" || text === "") return [];
  return cleanText(text).replace(/\n$/, "").split("\n");
}
