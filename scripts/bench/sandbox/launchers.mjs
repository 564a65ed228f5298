// Launchers that confine one command: how each is called so that they confine alike, and the proof that they do.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";

/** Tries what the policy allows and what it denies; prints a letter for each that went as it should. */
const TRIAL = [
  "printf x >inside 2>/dev/null && printf W",
  "{ printf x >../outside; } 2>/dev/null || printf O",
  "{ exec 3<>/dev/tcp/127.0.0.1/$PORT; } 2>/dev/null || printf N",
].join("; ");
/** Workspace writable, outside not, no network. */
const CONFINED = "WON";

/**
 * The launchers by name, each with `argv(command)`; `missing` says why one cannot be measured here.
 *
 * `home` must not be below a temporary folder, where codex makes no helper for itself.
 */
export function launchers({ peers, node, home, ws }) {
  const codex = path.join(
    peers,
    "codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
  );
  const srt = path.join(peers, "srt/node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js");
  const settings = path.join(home, "srt.json");
  fs.writeFileSync(settings, JSON.stringify(srtSettings(ws)));
  return [
    { name: "bash alone", argv: (command) => ["/bin/bash", "-c", command], confines: false },
    {
      name: "codex sandbox",
      argv: (command) => [codex, "sandbox", "-P", ":workspace", "--", "/bin/bash", "-c", command],
      confines: true,
      missing: fs.existsSync(codex) ? undefined : "it was not installed",
    },
    {
      name: "srt",
      argv: (command) => [node, srt, "-s", settings, "-c", command],
      confines: true,
      missing: fs.existsSync(srt) ? srtNeeds() : "it was not installed",
    },
  ];
}

function srtSettings(ws) {
  return {
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: [ws], denyWrite: [] },
  };
}

/** srt starts these from PATH; the packages have the same names, but rg's is ripgrep. */
function srtNeeds() {
  const lacking = ["bwrap", "socat", "rg"].filter((name) => spawnSync("which", [name]).status !== 0);
  return lacking.length > 0 ? `it needs ${lacking.join(" and ")}` : undefined;
}

/** Why a launcher does not confine as the comparison says; undefined when it does. */
export function whyUnequal(launcher, { ws, env, port }) {
  const { stdout } = run(launcher, TRIAL, { ws, env: { ...env, PORT: String(port) } });
  const done = String(stdout).replaceAll(/[^WON]/g, "");
  fs.rmSync(path.join(ws, "inside"), { force: true });
  fs.rmSync(path.join(ws, "..", "outside"), { force: true });
  if (!launcher.confines) return done.includes("W") ? undefined : "it cannot write to the workspace";
  return done === CONFINED ? undefined : `of ${CONFINED} it does ${done || "nothing"}`;
}

/** Milliseconds from before the start of a command until its status is known. */
export function timed(launcher, command, where) {
  const before = performance.now();
  const { status } = run(launcher, command, where);
  const ms = performance.now() - before;
  if (status !== 0) throw new Error(`${launcher.name}: exit code ${status}`);
  return ms;
}

function run(launcher, command, { ws, env }) {
  const [program, ...args] = launcher.argv(command);
  return spawnSync(program, args, { cwd: ws, env, stdio: ["ignore", "pipe", "pipe"] });
}
