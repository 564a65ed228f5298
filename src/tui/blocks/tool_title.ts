import type { JsonObject } from "../../core/json.ts";
import { cleanLine, cleanText } from "../screen/foreign.ts";

/** What a tool call does, in one line or, of a command, in as many as it has: the command, or the tool and its path. */
export function toolTitle(name: string, args: JsonObject, root: string): readonly string[] {
  const text = (field: string): string | undefined => {
    const value = args[field];
    return typeof value === "string" ? value : undefined;
  };
  const path = (): string => shortPath(text("path") ?? ".", root);
  switch (name) {
    case "bash":
      return `$ ${cleanText(text("command") ?? "").trim()}`.split("\n");
    case "check":
      return `check $ ${cleanText(text("command") ?? "").trim()}`.split("\n");
    case "read": {
      const { offset, limit } = args;
      const from = typeof offset === "number" ? offset : 1;
      const range = typeof limit === "number" ? ` ${from}–${from + limit - 1}` : from > 1 ? ` ${from}–` : "";
      return [`read ${path()}${range}`];
    }
    case "edit":
    case "write":
    case "ls":
      return [`${name} ${path()}`];
    case "todo":
      return ["todo"];
    case "bash_output":
    case "bash_stop":
      return [cleanLine(`${name} ${text("id") ?? ""}`)];
    case "task": {
      const agent = text("agent");
      return [cleanLine(`task ${agent === undefined ? "" : `${agent}: `}${text("description") ?? ""}`)];
    }
    case "grep":
    case "find":
      return [cleanLine(`${name} ${text("pattern") ?? ""} in ${path()}`)];
    default: {
      const all = JSON.stringify(args);
      return [cleanLine(`${name} ${all === "{}" ? "" : all}`)];
    }
  }
}

/** A path as short as it can be: relative to the workspace where it is inside. */
function shortPath(path: string, root: string): string {
  const clean = cleanLine(path);
  if (clean === root) return ".";
  return clean.startsWith(root + "/") ? clean.slice(root.length + 1) : clean;
}
