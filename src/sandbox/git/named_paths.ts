import { dirname, join } from "@std/path";
import { isInside } from "../../core/policy.ts";
import type { FolderView } from "../system/folder_view.ts";
import { siftConfig } from "./harmless_config.ts";
import { pointer } from "./paths.ts";

/** A file may include one that includes others; a link may lead to another. */
const DEEPEST = 10;

/**
 * What of a workspace the user's own git obeys: files that its settings include, folders of hooks, files that hooks are links
 * to, and programs that are started by a path, with the files that stand among their arguments; and each link on the way.
 *
 * What lies elsewhere tools cannot write anyway.
 */
export function obeyedInWorkspace(root: string, home: string, view: FolderView): string[] {
  const top = topOf(root, view);
  if (top === undefined) return [];
  const at = join(top, ".git");
  const own = view.listFolder(at) ? at : pointer(view.readText(at), "gitdir: ", top, view);
  if (own === undefined) return [];
  const common = pointer(view.readText(join(own, "commondir")), "", own, view) ?? own;
  const settings = [
    join(common, "config"),
    join(own, "config.worktree"),
    join(home, ".gitconfig"),
    join(home, ".config/git/config"),
    "/etc/gitconfig",
  ];
  return [
    ...new Set([
      ...settings.flatMap((path) => [...linksTo(path, root, view), ...namedByConfig(path, top, root, home, view)]),
      ...hooksIn(join(common, "hooks"), root, view),
    ]),
  ];
}

/** The folder at or around the workspace that git takes for the top of the checkout. */
function topOf(root: string, view: FolderView): string | undefined {
  for (let at = root;; at = dirname(at)) {
    if (view.listFolder(at)?.includes(".git")) return at;
    if (at === "/") return undefined;
  }
}

function namedByConfig(
  config: string,
  top: string,
  root: string,
  home: string,
  view: FolderView,
  depth = DEEPEST,
): string[] {
  const text = depth > 0 ? view.readText(config) : undefined;
  if (text === undefined) return [];
  const placeOf = (value: string, from: string): string =>
    value.startsWith("~/") ? join(home, value.slice(2)) : value.startsWith("/") ? join(value) : join(from, value);
  // What is harmless names nothing; every working folder counts as that.
  return siftConfig(text, () => true).risky.flatMap((setting) => {
    const at = setting.indexOf("=");
    const name = setting.slice(0, Math.max(at, 0)).toLowerCase().trim();
    const value = setting.slice(at + 1).replaceAll('"', "").trim();
    if (value === "" || name.startsWith("alias.")) return [];
    if (/^include(?:if\..*)?\.path$/.test(name)) {
      // What it counts from is the folder that its file really lies in.
      const file = placeOf(value, dirname(config));
      const real = view.realPath(config);
      const files = [file, ...(real === undefined ? [] : [placeOf(value, dirname(real))])];
      return [...new Set(files)].flatMap((path) => [
        ...waysTo(path, root, view),
        ...namedByConfig(path, top, root, home, view, depth - 1),
      ]);
    }
    // Husky makes this folder anew at each installation, and what is in it starts files of the workspace.
    if (name === "core.hookspath") {
      return /(?:^|\/)\.husky\/_\/?$/.test(value) ? [] : hooksIn(placeOf(value, top), root, view);
    }
    // Of a program without a slash the first word is looked for elsewhere; what follows it may be a file that it runs.
    return value.replace(/^!/, "").split(/[\s'"`;&|()<>$=,{}\\]+/).filter((word) => word !== "").flatMap(
      (word, index) => {
        if (word.includes("://") || (index === 0 && !word.includes("/"))) return [];
        return isFile(placeOf(word, top), view) ? waysTo(placeOf(word, top), root, view) : [];
      },
    );
  });
}

/** A folder of hooks, and what those of them lead to that are links. */
function hooksIn(folder: string, root: string, view: FolderView): string[] {
  const real = view.realPath(folder) ?? folder;
  return [
    ...waysTo(folder, root, view),
    ...(view.listFolder(real) ?? []).flatMap((name) => linksTo(join(real, name), root, view)),
  ];
}

/** The same for a path that is watched already, or lies elsewhere: only what it leads to, and the links on the way. */
function linksTo(path: string, root: string, view: FolderView): string[] {
  return view.readLink?.(path) === undefined ? [] : waysTo(path, root, view);
}

/** The place in the workspace that a path leads to, and each link in the workspace on the way there. */
function waysTo(path: string, root: string, view: FolderView): string[] {
  const real = view.realPath(path);
  const inside = (place: string): boolean => place !== root && isInside(place, root);
  // What is not there yet is obeyed once it is.
  const found = new Set([real ?? path].filter(inside));
  const follow = (place: string, left: number): void => {
    for (let at = place; at !== "/" && left > 0; at = dirname(at)) {
      const target = view.readLink?.(at);
      if (target === undefined) continue;
      if (inside(at)) found.add(at);
      const rest = place.slice(at.length);
      return follow(join(target.startsWith("/") ? target : join(dirname(at), target)) + rest, left - 1);
    }
  };
  follow(path, DEEPEST);
  return [...found];
}

function isFile(path: string, view: FolderView): boolean {
  return view.realPath(path) !== undefined && view.listFolder(path) === undefined;
}
