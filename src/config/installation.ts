// How this program came to where it is, told from what lies around it: a package's list of files, a receipt, a manifest. Nothing
// is asked of a package manager, and a path alone proves nothing but where the path is the proof (the Nix store).
import { basename, dirname, join } from "@std/path";
import { isObject, type JsonObject } from "../core/json.ts";
import { attempt } from "../core/support/attempt.ts";
import { isFile, isThere } from "../core/support/on_disk.ts";
import { shellWord } from "../core/support/text.ts";
import { NPM_PACKAGE, NPM_SCOPE, PROJECT_URL } from "../core/version.ts";
import { TARGETS } from "./targets.ts";

/** Who put the program there. */
export type Installer = "npm" | "deb" | "homebrew" | "nix" | "install.sh" | "install.ps1" | "source" | "hand";

/** How a program was installed, and what brings a newer one. */
export interface Installation {
  readonly by: Installer;
  /** The program, or for `source` the folder of the sources. */
  readonly path: string;
  /** Whether a package manager replaces it: nothing else should. */
  readonly isManaged: boolean;
  /** What a person types, or does, to have the newest version. */
  readonly update: string;
}

/** Where package managers keep what they know; other folders in tests. */
export interface Places {
  /** dpkg's lists of files (dpkg(1), "FILES"). */
  readonly dpkg: string;
  readonly nixStore: string;
}

const PLACES: Places = { dpkg: "/var/lib/dpkg/info", nixStore: "/nix/store" };

/** What the install scripts leave beside the program's folder: lines of `name=value`. */
export const RECEIPT = "share/sandpiper/install-receipt";

/**
 * How the program at a path, with no links in it, was installed. `hand` where nothing says so.
 *
 * @param project where releases are published; undefined if they are not, so that no address or package is named
 */
export function installationOf(
  program: string,
  places: Places = PLACES,
  project: string | undefined = PROJECT_URL,
): Installation {
  return ofNpm(program, project) ?? ofDebian(program, places, project) ?? ofHomebrew(program) ??
    ofNix(program, places) ?? ofScript(program, project) ??
    { by: "hand", path: program, isManaged: false, update: `replace it with the program of ${newest(project)}` };
}

/** The program from source, in this folder. */
export function sourceInstallation(folder: string, project: string | undefined = PROJECT_URL): Installation {
  const update = project === undefined ? "update the sources in this folder" : `get the sources of ${project} again`;
  return { by: "source", path: folder, isManaged: false, update };
}

/** What to take the newest files from. */
function newest(project: string | undefined): string {
  return project === undefined ? "a newer release" : `${project}/releases/latest`;
}

const managed = (by: Installer, path: string, update: string): Installation => ({ by, path, isManaged: true, update });

const PACKAGES = [NPM_PACKAGE, ...TARGETS.map(({ name }) => `${NPM_SCOPE}/${name}`)];
/** What adds a package, by the file that each package manager keeps beside package.json. */
const LOCKS = [
  ["package-lock.json", "npm install"],
  ["pnpm-lock.yaml", "pnpm add"],
  ["yarn.lock", "yarn add"],
  ["bun.lock", "bun add"],
] as const;

/** In a package of ours, below `node_modules`: for all users, for npx, or of a project. */
function ofNpm(program: string, project: string | undefined): Installation | undefined {
  const top = dirname(dirname(program));
  const { name, version } = json(join(top, "package.json")) ?? {};
  if (!PACKAGES.includes(String(name))) return undefined;
  const [, before] = /^(.*?)[\\/]node_modules[\\/]/.exec(`${top}/`) ?? [];
  const via = (update: string): Installation => managed("npm", program, update);
  // Deno keeps packages by registry, name and version, in no such folder.
  if (before === undefined) {
    const isDenos = top.replaceAll("\\", "/").endsWith(`/${name}/${version}`);
    if (!isDenos) return undefined;
    if (project === undefined) return via(unpublished("Deno's cache"));
    return via(`deno install -g -A -f npm:${NPM_PACKAGE}@latest, or deno run -A npm:${NPM_PACKAGE}@latest`);
  }
  if (project === undefined) return via(unpublished(before));
  if (json(join(before, "package.json"))?.["_npx"] !== undefined) return via(`npx ${NPM_PACKAGE}@latest`);
  const lock = LOCKS.find(([name]) => isFile(join(before, name)));
  if (lock) return via(`cd ${shellWord(before)} && ${lock[1]} ${NPM_PACKAGE}@latest`);
  // npm's own folder has the commands beside it (npm help folders).
  const command = basename(before) === "lib"
    ? join(dirname(before), "bin", "sandpiper")
    : join(before, "sandpiper.cmd");
  if (isThere(command)) return via(`npm install -g ${NPM_PACKAGE}@latest`);
  return via(`update the package ${NPM_PACKAGE} of ${before} with what installed it`);
}

/** No registry has the package: it came out of files. */
function unpublished(place: string): string {
  return `install the packages of a newer release over those in ${place}, as they were installed`;
}

function ofDebian(program: string, { dpkg }: Places, project: string | undefined): Installation | undefined {
  const lists = text(join(dpkg, "sandpiper.list"))?.split("\n").includes(program);
  return lists ? managed("deb", program, `sudo apt install ./FILE, with the .deb of ${newest(project)}`) : undefined;
}

function ofHomebrew(program: string): Installation | undefined {
  const [, keg] = /^(.*\/Cellar\/sandpiper\/[^/]+)\/bin\/sandpiper$/.exec(program) ?? [];
  if (keg === undefined || !isFile(join(keg, "INSTALL_RECEIPT.json"))) return undefined;
  return managed("homebrew", program, "brew upgrade sandpiper");
}

/** What lies in the store was built by Nix: nobody else can write there. */
function ofNix(program: string, { nixStore }: Places): Installation | undefined {
  if (!program.startsWith(`${nixStore}/`) || !/^[0-9a-z]{32}-/.test(program.slice(nixStore.length + 1))) {
    return undefined;
  }
  return managed("nix", program, "take the newest sandpiper.nix, or nix profile upgrade sandpiper");
}

function ofScript(program: string, project: string | undefined): Installation | undefined {
  const prefix = dirname(dirname(program));
  const lines = text(join(prefix, RECEIPT))?.split(/\r?\n/) ?? [];
  if (!lines.includes(`path=${program}`)) return undefined;
  const found = { path: program, isManaged: false };
  if (project === undefined) {
    const by = lines.includes("by=install.ps1") ? "install.ps1" : "install.sh";
    return { by, ...found, update: `run ${by} of a newer release, with SANDPIPER_PREFIX=${shellWord(prefix)}` };
  }
  if (lines.includes("by=install.ps1")) {
    const update = `$env:SANDPIPER_PREFIX='${prefix.replaceAll("'", "''")}'; irm ${
      newest(project)
    }/download/install.ps1 | iex`;
    return { by: "install.ps1", ...found, update };
  }
  const update = `curl -fsSL ${newest(project)}/download/install.sh | SANDPIPER_PREFIX=${shellWord(prefix)} sh`;
  return { by: "install.sh", ...found, update };
}

function json(path: string): JsonObject | undefined {
  const value: unknown = attempt(() => JSON.parse(text(path) ?? ""));
  return isObject(value) ? value : undefined;
}

function text(path: string): string | undefined {
  return attempt(() => Deno.readTextFileSync(path));
}
