import { dirname, isAbsolute, join, normalize } from "@std/path";
import { LinkOutside } from "../../core/named_files.ts";
import { isInside, KERNEL_FILES } from "../../core/policy.ts";

/** Where a path leads. */
export interface Destination {
  /** Absolute. Its existing part holds no link, except below /proc, /dev and /sys. */
  readonly real: string;
  /** The directory that tools can write and that holds it. */
  readonly root?: string;
  /** A link inside a directory that tools can write was followed. */
  readonly isLinked: boolean;
}

/** As in the kernel: path_resolution(7). */
const MAX_LINKS = 40;

/**
 * Follows the links of a path, one name at a time. The result can be outdated at once and only says which path to open; the
 * open itself must follow no link.
 *
 * @param path Absolute and normalized.
 * @param roots Directories that tools can write, real, the outer ones first.
 * @throws LinkOutside if a link inside one of them leads out of it.
 */
export function followLinks(path: string, roots: readonly string[]): Destination {
  if (!path.startsWith("/")) return ofOtherSystem(path, roots);
  const rootOf = (real: string): string | undefined => roots.find((root) => isInside(real, root));
  let [at, links] = ["/", 0];
  let names = path.split("/");
  /** The first directory that a link was followed in, and the last link of such a directory. */
  let bounds: string | undefined;
  let last: { readonly link: string; readonly target: string } | undefined;
  const done = (real: string): Destination => {
    if (bounds !== undefined && last && (!isInside(real, bounds) || (bounds === "/" && isKernelFile(real)))) {
      throw new LinkOutside(path, last.link, last.target, bounds);
    }
    const root = isKernelFile(real) && bounds === undefined ? undefined : rootOf(dirname(real));
    return { real, isLinked: bounds !== undefined, ...(root === undefined ? {} : { root }) };
  };
  while (names.length > 0) {
    const [name = "", ...rest] = names;
    names = rest;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const entry = lookAt(next);
    if (entry === undefined) return done(normalize([next, ...rest].join("/")).replace(/(?<=.)\/$/, ""));
    if (!entry.isSymlink) {
      at = next;
      continue;
    }
    // Links of the kernel lead where their text does not say: to pipes and to files without a name.
    if (isKernelFile(at)) return done([next, ...rest.filter((part) => part !== "")].join("/"));
    if (++links > MAX_LINKS) throw new Deno.errors.FilesystemLoop(`${path} is a link that leads in a circle`);
    const target = Deno.readLinkSync(next);
    const root = rootOf(at);
    if (root !== undefined) {
      bounds ??= root;
      last = { link: next, target };
    }
    if (isAbsolute(target)) at = "/";
    names = [...target.split("/"), ...rest];
  }
  return done(at);
}

function isKernelFile(path: string): boolean {
  return KERNEL_FILES.some((folder) => isInside(path, folder)) && !isInside(path, "/dev/shm");
}

/** Undefined if nothing is there; throws if that cannot be told. */
function lookAt(path: string): Pick<Deno.FileInfo, "isSymlink"> | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    // With few permissions of Deno the directories around the workspace cannot be read. The open itself finds any link.
    if (error instanceof Deno.errors.NotCapable) return { isSymlink: false };
    throw error;
  }
}

/** Windows: the system follows the links, and the result is compared. */
function ofOtherSystem(path: string, roots: readonly string[]): Destination {
  const real = realOf(path);
  const named = roots.find((root) => isInside(path, root));
  if (named !== undefined && !isInside(real, named)) throw new LinkOutside(path, path, real, named);
  const root = roots.find((folder) => isInside(real, folder));
  return { real, isLinked: real !== path, ...(root === undefined ? {} : { root }) };
}

function realOf(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) || dirname(path) === path) throw error;
    return join(realOf(dirname(path)), path.slice(dirname(path).length));
  }
}
