// Random trees, scopes over them and paths through them, for the fuzz of path resolution.
import fc from "fast-check";
import { basename, dirname, join } from "@std/path";
import type { World } from "../sandbox/confined_world.ts";

/** Names that have bitten somebody; the pairs differ only for who folds letters or compositions. */
const NAMES = [
  ...[
    "a",
    "b",
    "A",
    "x y",
    " lead",
    "trail ",
    "new\nline",
    "tab\t",
    "caf\u00e9",
    "cafe\u0301",
    "\u202eflip",
    "\u{1f512}",
  ],
  ...["...", "-rf", "~", "@at", "%2e%2e", "..%2f", "file:", "back\\slash", 'quo"te', "'", "*", "a.lnk", ".hidden"],
  ...["\u00a0nbsp", "zero\u200bwidth", "n".repeat(200), "\u{1d49c}".repeat(40), "con", "a,b", "$HOME", "{a,b}"],
];

/** One step of making a tree; numbers choose among what is there by then. */
export interface Step {
  readonly kind: "folder" | "file" | "link" | "hard";
  readonly zone: "root" | "outside" | "home";
  readonly parent: number;
  readonly target: number;
  readonly name: string;
  readonly style: "absolute" | "relative" | "dangling" | "up" | "self" | "proc" | "through";
}

/** A tree, the scopes over it, and how the questions are chosen. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly scopes: {
    readonly read: readonly number[];
    readonly write: readonly number[];
    readonly denyRead: readonly number[];
    readonly denyWrite: readonly number[];
  };
  readonly paths: readonly Way[];
}

/** A way through the tree. */
export interface Way {
  readonly start: number;
  readonly turns: readonly ("same" | "double" | "up" | "name" | "missing" | "slash" | "proc" | "climb")[];
  readonly pick: number;
}

const any = fc.nat(10_000);
const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("folder", "folder", "file", "file", "link", "link", "hard"),
  zone: fc.constantFrom("root", "root", "root", "outside", "home"),
  parent: any,
  target: any,
  name,
  style: fc.constantFrom("absolute", "relative", "absolute", "relative", "dangling", "up", "self", "proc", "through"),
});
const way: fc.Arbitrary<Way> = fc.record({
  start: any,
  turns: fc.array(fc.constantFrom("same", "double", "up", "name", "name", "missing", "slash", "proc", "climb"), {
    maxLength: 4,
  }),
  pick: any,
});

/** Plans with many links. */
export const plan: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(step, { minLength: 40, maxLength: 70 }),
  scopes: fc.record({
    read: fc.array(any, { maxLength: 3 }),
    write: fc.array(any, { maxLength: 2 }),
    denyRead: fc.array(any, { maxLength: 3 }),
    denyWrite: fc.array(any, { maxLength: 2 }),
  }),
  paths: fc.array(way, { minLength: 250, maxLength: 250 }),
});

/** What was made, in order. */
export interface Tree {
  readonly folders: readonly string[];
  /** Everything that has a name, links included. */
  readonly places: readonly string[];
}

/** Makes a tree; what cannot be made (a name that is taken) is left out. Every file holds the path that it was made at. */
export function makeTree({ root, outside, home }: World, steps: readonly Step[]): Tree {
  const zones = { root: [root], outside: [outside], home: [home] };
  const folders = [root, outside, home];
  const files: string[] = [];
  const places: string[] = [root, outside, home, `${outside}/secret`];
  const at = <T>(list: readonly T[], number: number): T => list[number % list.length] as T; // never empty
  for (const { kind, zone, parent, target, name, style } of steps) {
    const folder = at(zones[zone], parent);
    const path = join(folder, name);
    try {
      Deno.lstatSync(path);
      continue;
    } catch {
      // Free.
    }
    if (kind === "folder") {
      Deno.mkdirSync(path);
      zones[zone].push(path);
      folders.push(path);
    } else if (kind === "file") {
      Deno.writeTextFileSync(path, `<<${path}>>`);
      files.push(path);
    } else if (kind === "hard") {
      if (files.length > 0) Deno.linkSync(at(files, target), path);
    } else Deno.symlinkSync(targetOf(path, at(places, target), style, name), path);
    places.push(path);
  }
  return { folders, places };
}

function targetOf(path: string, target: string, style: Step["style"], name: string): string {
  switch (style) {
    case "absolute":
      return target;
    case "relative":
      return relative(dirname(path), target);
    case "dangling":
      return `${target}/not/${name}`;
    case "up":
      return "../".repeat(1 + name.length % 5);
    case "self":
      return basename(path);
    case "proc":
      return `/proc/self/root${target}`;
    case "through":
      return `${relative(dirname(path), dirname(target))}/./${basename(target)}`;
  }
}

function relative(from: string, to: string): string {
  return "../".repeat(from.split("/").length - 1) + to.slice(1);
}

/** The text of a way through a tree. */
export function pathOf({ start, turns, pick }: Way, { places }: Tree): string {
  // Most of what the policy covers lies in the workspace.
  const inside = places.filter((place) => place.startsWith(`${places[0]}/`));
  let path = (start % 3 === 0 ? places[start % places.length] : inside[start % inside.length]) ?? "/";
  turns.forEach((turn, at) => {
    const other = places[(pick + at * 7) % places.length] ?? "/";
    switch (turn) {
      case "same":
        return void (path += "/.");
      case "double":
        return void (path = path.replace(/\/([^/]*)$/, "//$1"));
      case "up":
        return void (path += "/..");
      case "name":
        return void (path += `/${basename(other)}`);
      case "missing":
        return void (path += `/missing-${pick}`);
      case "slash":
        return void (path += "/");
      case "proc":
        return void (path = `/proc/self/root${path}`);
      case "climb":
        return void (path += relative(path, other).replace(/^/, "/"));
    }
  });
  return path.slice(0, 3_000);
}
