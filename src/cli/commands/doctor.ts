import { attempt } from "../../core/support/attempt.ts";
import { dirname, join } from "@std/path";
import { columnsOf, fitted } from "../output/report.ts";
import { modelName } from "../../core/provider.ts";
import { inOwnName, programTitle, VERSION } from "../../core/version.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { chooseSandbox } from "../../sandbox/confine/choose.ts";
import { launcher } from "../../sandbox/launcher/executable.ts";
import { probeSandbox, type SandboxProbe } from "../../sandbox/confine/probe.ts";
import type { Endpoint } from "../../provider/endpoint/endpoint.ts";
import { type Config, configure } from "../../config/config.ts";
import { isFolder } from "../../core/support/on_disk.ts";
import { counted, stripControls, visibleJson } from "../../core/support/text.ts";
import { askYes } from "../output/ask_line.ts";
import { writeAll } from "../output/write_all.ts";
import { firstModel } from "../../engine/model/first_model.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { wantedSandbox } from "../../engine/tools/tools_host.ts";
import { targetOf } from "../../config/targets.ts";
import { readVariable, readWorld } from "../../config/host_environment.ts";
import { namespacesFix } from "../../sandbox/confine/namespaces_memory.ts";

/** One thing that was looked at. */
interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do about it, where there is something to do. */
  readonly fix?: string;
}

/** Where what confines processes is started from. */
const PLACES = { memory: "sealed file in memory", file: "private file" } as const;

/**
 * `sandpiper doctor`: what this machine and configuration can do; 3 when the wanted sandbox, or a temporary folder, cannot be
 * had. With `--model` also what that model's endpoint takes, after the person agreed to the cost.
 */
export async function doctorCommand(invocation: Invocation): Promise<number> {
  const config = configure(invocation, readWorld());
  const probe = probeSandbox();
  let missing = false;
  let noHosts = (): string | undefined => "there is no sandbox";
  const sandbox = check("sandbox", () => {
    const chosen = chooseSandbox(wantedSandbox(config), probe);
    if (probe.os === "linux" && chosen.level !== "off") launcher();
    noHosts = chosen.noHosts;
    return { found: [`level ${chosen.level}`, ...chosen.notices].join("; ") };
  }, () => missing = true);
  const model = await firstModel(config, readVariable).then((choice) => ({ choice }), (error: unknown) => ({ error }));
  const checks: Check[] = [
    {
      name: "program",
      ok: true,
      found: `${programTitle(VERSION)}, Deno ${Deno.version.deno}, ${Deno.build.os} ${Deno.build.arch}`,
    },
    ...untestedCheck(Deno.build),
    ...packCheck(config.world.pack),
    sandbox,
    {
      name: "Landlock",
      ok: probe.landlockAbi > 0,
      found: probe.landlockAbi > 0 ? `ABI ${probe.landlockAbi}` : probe.landlockWhy ?? "not there",
      ...(probe.landlockAbi > 0 ? {} : { fix: "Linux 6.12 or later, with landlock in the kernel's lsm= list" }),
    },
    namespacesCheck(probe),
    hostListCheck(noHosts()),
    ...(probe.os === "linux"
      ? [check("launcher", () => ({ found: `started from a ${PLACES[launcher().kind]}` }))]
      : []),
    check("model", () => {
      if ("error" in model) throw model.error;
      const { choice } = model;
      return {
        found: choice.kind === "given"
          ? choice.model // no command line brings one
          : choice.kind === "replay"
          ? `cassette ${choice.file}`
          : serverWords(choice.endpoint),
      };
    }),
    { name: "user folder", ok: true, found: config.userFolder ?? "none; defaults are used" },
    writeCheck("temporary", "", undefined, "Set TMPDIR to a folder that can be written", () => missing = true),
    sessionsCheck(config),
    {
      name: "project",
      ok: true,
      found: config.projectFolder
        ? `${config.projectFolder}, ${config.trusted ? "trusted" : "not trusted"}`
        : "no folder of its own",
    },
    ...config.warnings.map((warning) => ({
      name: "settings",
      ok: false,
      found: warning,
      fix: "Correct it in the file",
    })),
  ];
  const named = "choice" in model && model.choice.kind === "server" && invocation.values["model"] !== undefined
    ? model.choice
    : undefined;
  if (named) {
    const { lookAtModel } = await import("./doctor_model.ts");
    const ask = Deno.stdin.isTerminal() && Deno.stderr.isTerminal()
      ? (question: string) => askYes(question, Deno.stderr)
      : undefined;
    const tell = (line: string): void => void writeAll(Deno.stderr, stripControls(line) + "\n");
    const findings = await lookAtModel(named, config, { ask, tell }, new AbortController().signal);
    for (const { name, seen, found } of findings) checks.push({ name, ok: seen === true, found });
  }
  writeAll(
    Deno.stdout,
    invocation.values["json"] ? visibleJson(checks, 2) + "\n" : inOwnName(table(checks, columnsOf(Deno.stdout))),
  );
  return missing ? 3 : 0;
}

/** Whether files can be made in a folder, by making one; among the temporary ones where none is named. */
function writeCheck(
  name: string,
  found: string,
  dir: string | undefined,
  fix: string,
  onFailure = (): void => {},
): Check {
  let path: string | undefined;
  try {
    path = Deno.makeTempDirSync({ prefix: "sandpiper-doctor-", ...(dir === undefined ? {} : { dir }) });
    // Private and new: nobody else can put a link in it.
    Deno.writeFileSync(join(path, "probe"), new Uint8Array(PROBE_BYTES), { createNew: true });
    return { name, ok: true, found: found === "" ? dirname(path) : found };
  } catch (error) {
    onFailure();
    const refused = `no file can be made: ${messageOf(error)}`;
    return { name, ok: false, found: found === "" ? refused : `${found}; ${refused}`, fix };
  } finally {
    if (path !== undefined) Deno.removeSync(path, { recursive: true });
  }
}

/** A full disk still takes a name. */
const PROBE_BYTES = 4096;

/** What is kept, and whether what comes will be. */
function sessionsCheck({ userFolder, stateFolder }: Config): Check {
  const [name, found, fix] = ["sessions", keptWords(userFolder), "--session-dir DIR names another folder"];
  if (stateFolder === undefined) {
    return { name, ok: false, found: `${found}, and none will be: there is no folder that may be written`, fix };
  }
  let folder = join(stateFolder, "sessions");
  while (!isFolder(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return writeCheck(name, found, folder, fix);
}

/** What sessions and what undo has of them take on the disk. */
function keptWords(folder: string | undefined): string {
  if (folder === undefined) return "none are kept";
  const [sessions, kept] = ["sessions", "checkpoints"].map((name) => sizeOf(join(folder, name)));
  const words = ({ files, bytes }: Size): string => `${counted(files, "file")}, ${(bytes / 1e6).toFixed(1)} MB`;
  return `${words(sessions ?? NOTHING)}; for undo ${words(kept ?? NOTHING)}`;
}

interface Size {
  readonly files: number;
  readonly bytes: number;
}

const NOTHING: Size = { files: 0, bytes: 0 };

function sizeOf(folder: string): Size {
  let [files, bytes] = [0, 0];
  try {
    for (const { name, isDirectory, isFile } of Deno.readDirSync(folder)) {
      const path = join(folder, name);
      const inside = isDirectory ? sizeOf(path) : { files: 1, bytes: isFile ? Deno.lstatSync(path).size : 0 };
      files += inside.files;
      bytes += inside.bytes;
    }
  } catch {
    // What is not there, or is removed meanwhile, takes nothing.
  }
  return { files, bytes };
}

/** What was packed into the program, and where tools read it. */
function packCheck(layer: Config["world"]["pack"]): readonly Check[] {
  if (layer === undefined) return [];
  const { name, fingerprint, isOpen, files, folder } = layer.pack;
  const one = check("pack", () => {
    const held = `${counted(files.length, "file")} in ${folder()}`;
    return { found: `${name}${isOpen ? ", open" : ""}, fingerprint ${fingerprint}, ${held}` };
  });
  return [one];
}

/** A model, where it is asked, and where its key is from. Nothing is asked and no command runs. */
function serverWords({ entry, model, baseUrl, key }: Endpoint): string {
  const named = model === "" ? `the only model of ${entry.label}` : modelName({ provider: entry.name, id: model });
  return `${named} at ${baseUrl}, ${key.isKeyless ? "without a key" : `key from ${key.origin}`}`;
}

function hostListCheck(why: string | undefined): Check {
  if (why === undefined) return { name: "host list", ok: true, found: "--allow-net=HOST can be held to its hosts" };
  return {
    name: "host list",
    ok: false,
    found: `--allow-net=HOST is refused: ${why}`,
    fix: "Use the level kernel+, or allow all of the network or none",
  };
}

/** What no test has shown on this system; nothing where every test runs. */
export function untestedCheck(build: { readonly os: string; readonly arch: string }): readonly Check[] {
  const target = targetOf(build);
  const found = target
    ? target.untested
    : `no program is released for ${build.os} ${build.arch}, and no test runs there`;
  return found === undefined ? [] : [{ name: "untested", ok: false, found }];
}

/** Which way leads to the namespaces of kernel+, why that, and what would help. */
function namespacesCheck(probe: SandboxProbe): Check {
  const name = "namespaces";
  if (probe.os !== "linux") return { name, ok: false, found: "only for Linux" };
  const own = probe.namespaces();
  if ("works" in own) return { name, ok: true, found: "made by this program; bubblewrap is not needed" };
  const refused = `this program is refused its own (${own.why})`;
  const bwrap = probe.bwrap();
  // A process without Deno's permission for system calls cannot look.
  const fix = attempt(() => namespacesFix("path" in bwrap)) ?? "Start the program with deno run -A, or use the binary";
  if ("path" in bwrap) return { name, ok: true, found: `made by ${bwrap.path}, because ${refused}`, fix };
  return { name, ok: false, found: `none: ${refused}; ${bwrap.why}`, fix };
}

function check(name: string, look: () => { found: string }, onFailure?: () => void): Check {
  try {
    return { name, ok: true, ...look() };
  } catch (error) {
    onFailure?.();
    if (error instanceof UserError) {
      return { name, ok: false, found: `${error.what}: ${error.why}`, fix: wholeFix(error) };
    }
    return { name, ok: false, found: messageOf(error) };
  }
}

function table(checks: readonly Check[], columns: number): string {
  const width = Math.max(12, ...checks.map(({ name }) => name.length + 1));
  const margin = " ".repeat(width + 4);
  return checks.map(({ name, ok, found, fix }) => {
    const [head = "", ...list] = fix?.split("\n") ?? [];
    const lines = [
      fitted(`${ok ? "ok " : "-- "} ${name.padEnd(width)}${stripControls(found)}`, columns, margin),
      // By its words alone: a margin would make a list of it.
      ...(fix === undefined
        ? []
        : [margin + fitted(head, columns - margin.length, "").replaceAll("\n", `\n${margin}`)]),
      ...list.map((line) => `      ${line.trimStart()}`),
    ];
    return lines.join("\n") + "\n";
  }).join("");
}

/** What mends a check; the page has room for all providers. */
function wholeFix(error: UserError): string {
  return "wholeFix" in error && typeof error.wholeFix === "string" ? error.wholeFix : error.fix;
}
