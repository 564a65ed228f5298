import { dirname, fromFileUrl } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import { stripControls, visibleJson } from "../../core/support/text.ts";
import { programTitle, PROJECT_URL, VERSION } from "../../core/version.ts";
import { configure } from "../../config/config.ts";
import { readWorld } from "../../config/host_environment.ts";
import { type Installation, installationOf, sourceInstallation } from "../../config/installation.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { writeAll } from "../output/write_all.ts";

/** How long the whole answer may take, milliseconds. */
const DEADLINE_MS = 10_000;
/** A version and little more; bytes. */
const MOST_BYTES = 64 * 1024;
/** Releases of some hosts answer with the address of their store first. */
const MOST_REDIRECTS = 5;

/**
 * `sandpiper update`: how this program was installed, and what brings a newer one. It changes nothing, and asks nobody but the
 * address that `updateUrl` of the user's settings names, and not even that where a package manager owns the program.
 */
export async function updateCommand(invocation: Invocation): Promise<number> {
  if (invocation.words.length > 0) {
    throw new UserError({
      what: `Cannot do "update ${invocation.words.join(" ")}"`,
      why: "update takes no words",
      fix: `Write sandpiper update. For a message: sandpiper -- update ${invocation.words.join(" ")}`,
    });
  }
  const { settings, userFolder } = configure(invocation, readWorld());
  const installation = thisInstallation();
  const url = installation.isManaged ? undefined : settings.updateUrl;
  const newest = url === undefined ? undefined : await newestVersion(url);
  if (invocation.values["json"]) {
    const { by, path, isManaged, update } = installation;
    const told = { version: VERSION, installedBy: by, path, managed: isManaged, newest: newest ?? null, update };
    writeAll(Deno.stdout, visibleJson(told, 2) + "\n");
  } else {
    writeAll(Deno.stdout, stripControls(updateText(installation, url, newest, userFolder)));
  }
  return 0;
}

function thisInstallation(): Installation {
  if (!Deno.build.standalone) {
    return sourceInstallation(dirname(dirname(dirname(dirname(fromFileUrl(import.meta.url))))));
  }
  return installationOf(Deno.realPathSync(Deno.execPath()));
}

/** Who installs, as a person would say it. */
const NAMES: Readonly<Record<Installation["by"], string>> = {
  npm: "npm, or what takes its packages",
  deb: "Debian's package manager",
  homebrew: "Homebrew",
  nix: "Nix",
  "install.sh": "install.sh",
  "install.ps1": "install.ps1",
  source: "source",
  hand: "hand, as far as can be seen",
};

/** What `update` says; `newest`: where `url` was asked. */
export function updateText(
  { by, path, isManaged, update }: Installation,
  url: string | undefined,
  newest: string | undefined,
  userFolder: string | undefined,
): string {
  const lines = [`${programTitle(VERSION)}, installed by ${NAMES[by]}`, `  ${path}`];
  const command = ["For the newest version:", `  ${update}`];
  if (isManaged) {
    return [...lines, "It is replaced by what installed it, which also knows the newest version.", ...command, ""].join(
      "\n",
    );
  }
  if (url === undefined || newest === undefined) {
    lines.push(
      "No newer version was looked for: no release address is configured.",
      `Set updateUrl in ${userFolder ?? "~/.sandpiper/agent"}/settings.json${orReleases()}`,
    );
    return [...lines, ...command, ""].join("\n");
  }
  if (compareVersions(newest, VERSION) <= 0) {
    return [...lines, `It is the newest: ${url} names ${newest}`, ""].join("\n");
  }
  return [...lines, `There is a newer one: ${newest}, says ${url}`, ...command, ""].join("\n");
}

/**
 * The version that an address names: JSON with `version`, or as GitHub tells a release, with `tag_name`. Throws UserError for
 * an address that may not be asked and for an answer that is none.
 */
export async function newestVersion(address: string, deadlineMs = DEADLINE_MS): Promise<string> {
  const failed = (why: string): UserError =>
    new UserError({
      what: "The newest version is not known",
      why: `${address}: ${stripControls(why)}`,
      fix: `Correct updateUrl in your settings${orReleases()}`,
    });
  try {
    const told = parsed(await read(address, AbortSignal.timeout(deadlineMs)));
    const { version, tag_name } = typeof told === "object" && told !== null
      ? told as { readonly version?: unknown; readonly tag_name?: unknown } // fields are looked at below
      : {};
    const [, newest] = /^v?(\d+\.\d+\.\d+(?:-[\w.-]+)?)$/.exec(String(version ?? tag_name)) ?? [];
    if (newest === undefined) throw new Error('the answer has no "version" such as 1.2.3');
    return newest;
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    throw failed(isLate ? `no answer in ${deadlineMs / 1000} seconds` : messageOf(error));
  }
}

/** Only if there is such a page. */
function orReleases(): string {
  return PROJECT_URL === undefined ? "" : `, or look at ${PROJECT_URL}/releases`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("the answer is no JSON");
  }
}

/** The text at an address; each redirect is judged like the address itself. */
async function read(address: string, signal: AbortSignal): Promise<string> {
  let url = askable(address);
  for (let left = MOST_REDIRECTS; left >= 0; left--) {
    const response = await fetch(url, { redirect: "manual", signal, headers: { "user-agent": "sandpiper" } });
    const next = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && next !== null) {
      await response.body?.cancel();
      url = askable(new URL(next, url).href, url);
      continue;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`status ${response.status}`);
    }
    let bytes = 0;
    let text = "";
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      bytes += piece.length;
      if (bytes > MOST_BYTES) throw new Error(`the answer has more than ${MOST_BYTES / 1024} KB`);
      text += decoder.decode(piece, { stream: true });
    }
    return text;
  }
  throw new Error(`it leads on more than ${MOST_REDIRECTS} times`);
}

/** HTTPS, or plain HTTP on this machine; what began with HTTPS stays so. */
function askable(address: string, from?: URL): URL {
  if (!URL.canParse(address)) throw new Error("it is no address");
  const url = new URL(address);
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  const isOpen = url.protocol === "http:" && isHere && from?.protocol !== "https:";
  if (url.protocol !== "https:" && !isOpen) throw new Error(`${url.origin} is not asked: it must be https`);
  if (url.username !== "" || url.password !== "") throw new Error("an address with a password is not asked");
  return url;
}

/** Below 0 where the first version comes before the second; what follows a dash marks an early one (Semantic Versioning). */
export function compareVersions(first: string, second: string): number {
  const parts = (version: string): readonly [readonly number[], string] => {
    const [numbers = "", ...early] = version.split("-");
    return [numbers.split(".").map(Number), early.join("-")];
  };
  const [[left, leftEarly], [right, rightEarly]] = [parts(first), parts(second)];
  const at = left.findIndex((number, i) => number !== right[i]);
  if (at >= 0) return (left[at] ?? 0) - (right[at] ?? 0);
  if (leftEarly === "" || rightEarly === "") return Number(leftEarly === "") - Number(rightEarly === "");
  return leftEarly.localeCompare(rightEarly, "en", { numeric: true });
}
