import { dirname, join } from "@std/path";
import { isInside } from "../core/policy.ts";
import type { FolderView } from "./git_paths.ts";
import { siftConfig } from "./protected_config.ts";

/** A file may include one that includes others. */
const DEEPEST = 4;

/**
 * What of a workspace the user's own settings of git make it obey: files that they include, folders of hooks, and programs
 * that they start by a path.
 *
 * `config` is such a file; what it names elsewhere tools cannot write anyway.
 */
export function namedByConfig(config: string, root: string, home: string, view: FolderView, depth = DEEPEST): string[] {
  const text = depth > 0 ? view.readText(config) : undefined;
  if (text === undefined) return [];
  const inside = (value: string, from: string): string[] => {
    const path = value.startsWith("~/")
      ? join(home, value.slice(2))
      : value.startsWith("/")
      ? value
      : join(from, value);
    const real = view.realPath(path) ?? join(path);
    return real !== root && isInside(real, root) ? [real] : [];
  };
  // What is harmless names nothing; every working folder counts as that.
  return siftConfig(text, () => true).risky.flatMap((setting) => {
    const at = setting.indexOf("=");
    const name = setting.slice(0, at).toLowerCase();
    const value = setting.slice(at + 1).replaceAll('"', "").trim();
    if (at < 0 || value === "" || name.startsWith("alias.")) return [];
    if (/^include(?:if\..*)?\.path$/.test(name)) {
      const files = inside(value, dirname(config));
      return [...files, ...files.flatMap((file) => namedByConfig(file, root, home, view, depth - 1))];
    }
    // Husky makes this folder anew at each installation, and what is in it starts files of the workspace.
    if (name === "core.hookspath") return /(?:^|\/)\.husky\/_\/?$/.test(value) ? [] : inside(value, root);
    const program = value.replace(/^!/, "").trim().split(/\s/, 1)[0] ?? "";
    return program.includes("/") && !program.includes("://")
      ? inside(program, root).filter((path) => isFile(path, view))
      : [];
  });
}

function isFile(path: string, view: FolderView): boolean {
  return view.realPath(path) !== undefined && view.listFolder(path) === undefined;
}
