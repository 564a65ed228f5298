/**
 * Measures `dist/sandpiper` beside floors and, when asked, other agents, and prints the table of goals.
 *
 * Options: `--runs 7`, `--scenarios hello,read,task20,stream`, `--peers pi,codex`, `--noise 0.15`, `--rebuild` builds
 * the floors anew, `--out FILE` takes the numbers. See scripts/bench/README.md.
 */
import { parseArgs } from "@std/cli";
import { join, resolve } from "@std/path";
import { buildFloors } from "./bench/floors.ts";
import { goalTable, problemLines, type Results } from "./bench/goals.ts";
import { installPeer, nodeFor } from "./bench/install.ts";

const FLOORS = ["floor-fetch-nocache", "floor-tuned", "floor-tuned-nocache", "floor-openai-bundle-nocache"];
const SCENARIOS = "hello,read,task20,stream";

const root = resolve(import.meta.dirname ?? ".", "..");
const dist = join(root, "dist");
const bench = join(dist, "bench");
const args = parseArgs(Deno.args, { string: ["runs", "scenarios", "peers", "noise", "out"], boolean: ["rebuild"] });
const peers = text(args.peers, "").split(",").filter((name) => name !== "");

if (!(await Deno.stat(join(dist, "sandpiper")).catch(() => undefined))?.isFile) {
  console.error("dist/sandpiper is missing. Build it first: deno task compile");
  Deno.exit(2);
}
if (args.rebuild === true) await Deno.remove(join(bench, "floors"), { recursive: true }).catch(() => {});
await buildFloors(root, join(bench, "floors"));
for (const peer of peers) await installPeer(join(root, "scripts", "bench", "peers"), peer, join(bench, "peers"));

const out = resolve(text(args.out, join(bench, "results.json")));
// Not below the repository: agents would read its AGENTS.md into their prompts.
const work = await Deno.makeTempDir({ prefix: "sandpiper-bench-" });
const run = await new Deno.Command("node", {
  args: [
    join(root, "scripts", "bench", "run.mjs"),
    ...["--dist", dist, "--work", work, "--out", out],
    ...[
      "--noise",
      text(args.noise, "0.15"),
      "--runs",
      text(args.runs, "7"),
      "--scenarios",
      text(args.scenarios, SCENARIOS),
    ],
    ...["--peers", ["sandpiper", ...FLOORS, ...peers].join(",")],
    ...["--node", peers.includes("pi") ? await nodeFor(bench) : await nodePath()],
  ],
  stdout: "inherit",
  stderr: "inherit",
}).output();
await Deno.remove(work, { recursive: true });
if (!run.success) Deno.exit(1);
const results: Results = JSON.parse(await Deno.readTextFile(out)); // written by run.mjs just now
console.log(goalTable(results));
for (const line of problemLines(results)) console.log(`- ${line}`);

function text(value: unknown, fallback: string): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}

async function nodePath(): Promise<string> {
  const asked = await new Deno.Command("node", { args: ["-p", "process.execPath"] }).output();
  return new TextDecoder().decode(asked.stdout).trim();
}
