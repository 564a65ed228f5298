/**
 * Measures `dist/sandpiper` beside floors, other agents and other launchers, and prints the tables of goals.
 *
 * Options: `--parts loop,sandbox,compile,session,hooks,tui,facts,batch` (default all), `--runs 7`, `--scenarios hello,read,task20,stream`,
 * `--peers pi,codex`, `--noise 0.15`, `--rebuild` builds the floors anew, `--dist DIR` takes another build, `--out FILE`
 * takes the numbers. `--publish` measures all of it in at most ten minutes of a quiet machine, writes docs/performance.json
 * and the page that is generated from it. See scripts/bench/README.md.
 */
import { parseArgs } from "@std/cli";
import { join, resolve } from "@std/path";
import { batchBench } from "./bench/batch_bench.ts";
import { compileBench } from "./bench/compile_bench.ts";
import { buildFloors } from "./bench/floors.ts";
import { factsBench } from "./bench/facts_bench.ts";
import { FLOOR, goalTable, problemLines, type Results } from "./bench/goals.ts";
import { hooksBench } from "./bench/hooks_bench.ts";
import { benchFolder, installLaunchers, installPeer, nodeFor } from "./bench/install.ts";
import { type Part, partTable } from "./bench/part_goals.ts";
import { before, programsOf, type Published, publishedText, thisMachine } from "./bench/published.ts";
import { sessionBench } from "./bench/session_bench.ts";
import { tuiBench } from "./bench/tui_bench.ts";
import { isFile } from "../src/core/support/on_disk.ts";
import { VERSION } from "../src/core/version.ts";

const FLOORS = ["floor-fetch-nocache", "floor-tuned", "floor-tuned-nocache", "floor-openai-bundle-nocache"];
const SCENARIOS = "hello,read,task20,stream";
const PARTS = "loop,sandbox,compile,session,hooks,tui,facts,batch";
/** Rounds of a published run, the programs beside it, and of the floors only those that its page compares with. */
const PUBLISH = { runs: "3", peers: "pi,codex", floors: ["floor-fetch-nocache", "floor-tuned-nocache"] };
/** Rounds of the part `facts` then: each takes a minute, and has many looks of its own. */
const PUBLISHED_FACTS = 1;
/** Runs of one read in the part `batch`, and how long eight run side by side: a batch of any size is measured by hand. */
const BATCH = { tasks: 100, seconds: 60 };
const PUBLISHED_BATCH = { tasks: 40, seconds: 20 };

const root = resolve(import.meta.dirname ?? ".", "..");
// Deno hands on the dashes of `deno task NAME -- …`, after which nothing would be an option.
const args = parseArgs(Deno.args.filter((word) => word !== "--"), {
  string: ["parts", "runs", "scenarios", "peers", "noise", "dist", "out", "tasks", "seconds"],
  boolean: ["rebuild", "publish"],
});
const isPublished = args.publish === true;
const dist = resolve(text(args.dist, join(root, "dist")));
const bench = join(dist, "bench");
const own = benchFolder();
const wanted = list(text(args.parts, PARTS));
const peerFiles = join(root, "scripts", "bench", "peers");
const floors = isPublished ? PUBLISH.floors : FLOORS;
const peers = list(text(args.peers, isPublished ? PUBLISH.peers : ""));
const runs = text(args.runs, isPublished ? PUBLISH.runs : "7");
const noise = text(args.noise, "0.15");
const out = resolve(text(args.out, isPublished ? join(root, "docs", "performance.json") : join(bench, "results.json")));
const started = performance.now();

if (!isFile(join(dist, "sandpiper"))) {
  console.error("dist/sandpiper is missing. Build it first: deno task compile");
  Deno.exit(2);
}
if (isPublished && (args.parts !== undefined || args.scenarios !== undefined)) {
  console.error(
    "--publish measures everything: what a run leaves out would be gone from the page. Leave the selection out",
  );
  Deno.exit(2);
}
const unknown = wanted.filter((part) => !PARTS.split(",").includes(part));
if (unknown.length > 0) {
  console.error(`There is no part "${unknown.join(", ")}"; the parts are ${PARTS}`);
  Deno.exit(2);
}
const machineBefore = await before(3000);
await Deno.mkdir(bench, { recursive: true });
await Deno.mkdir(own, { recursive: true });
// Not below the repository: agents would read its AGENTS.md into their prompts. Nor below a temporary folder: there codex
// makes no helper for its sandbox, and ours hides it.
const work = await Deno.makeTempDir({ dir: own, prefix: "work-" });
const parts: Part[] = [];
const missing: { name: string; why: string }[] = [];
let loop: Results | undefined;
try {
  for (const part of wanted) {
    console.log(`\n${await measure(part)}`);
    // After each part, so that a later one that fails loses nothing.
    await Deno.writeTextFile(out, publishedText(await published()));
  }
} finally {
  await Deno.remove(work, { recursive: true });
}
if (isPublished) {
  const { success } = await new Deno.Command(Deno.execPath(), { args: ["task", "docs"], cwd: root }).output();
  if (!success) throw new Error("deno task docs failed");
  console.log(`\n${out} is written, and docs/performance.md from it`);
}

/** All that is measured so far. */
async function published(): Promise<Published> {
  const words = Deno.args.filter((word) => word !== "--");
  return {
    schema: 1,
    date: new Date().toISOString(),
    version: VERSION,
    binaryBytes: (await Deno.stat(join(dist, "sandpiper"))).size,
    command: ["deno task bench", ...words.length > 0 ? ["--", ...words] : []].join(" "),
    seconds: (performance.now() - started) / 1000,
    machine: thisMachine(machineBefore),
    programs: loop === undefined ? [] : programsOf(peerFiles, ["sandpiper", ...floors, ...installed()]),
    missing,
    ...loop === undefined ? {} : { loop },
    parts,
  };
}

/** The peers that could be installed. */
function installed(): readonly string[] {
  return peers.filter((peer) => !missing.some(({ name }) => name === peer));
}

/** Measures a part; its table and what there is to say about it. */
async function measure(name: string): Promise<string> {
  if (name === "loop") {
    loop = await loopPart();
    return [goalTable(loop), ...problemLines(loop).map((line) => `- ${line}`)].join("\n");
  }
  const part = await partOf(name);
  parts.push(part);
  return [partTable(part), ...part.notes.map((note) => `- ${note}`)].join("\n");
}

async function partOf(name: string): Promise<Part> {
  switch (name) {
    case "sandbox":
      return await sandboxPart();
    case "compile":
      return await compileBench({ root, dist, work: join(work, name), runs: Number(runs) });
    case "session":
      return await sessionBench({ root, work: join(work, name), runs: Number(runs), playLong });
    case "hooks":
      return await hooksBench({ root, dist, work: join(work, name), play: playPeers });
    case "facts":
      return await factsBench({ root, work: join(work, name), runs: isPublished ? PUBLISHED_FACTS : Number(runs) });
    case "batch": {
      const usual = isPublished ? PUBLISHED_BATCH : BATCH;
      const tasks = Number(text(args.tasks, String(usual.tasks)));
      const seconds = Number(text(args.seconds, String(usual.seconds)));
      return await batchBench({ dist, work: join(work, name), runs: Number(runs), tasks, seconds });
    }
    case "tui":
      return await tuiPart(join(work, name));
    default:
      throw new Error(`no part is called ${name}`);
  }
}

async function loopPart(): Promise<Results> {
  if (args.rebuild === true) await Deno.remove(join(bench, "floors"), { recursive: true }).catch(() => {});
  await buildFloors(root, dist, join(bench, "floors"));
  for (const peer of peers) {
    try {
      await installPeer(peerFiles, peer, join(own, "peers"));
      if (peer === "pi") await nodeFor(own);
    } catch (error) {
      const why = (error instanceof Error ? error.message : String(error)).trim().split("\n")[0] ?? "";
      missing.push({ name: peer, why: `it could not be installed (${why})` });
    }
  }
  const scenarios = text(args.scenarios, SCENARIOS);
  return await node("run.mjs", "loop", [
    ...["--peer-folder", join(own, "peers"), "--scenarios", scenarios],
    ...["--peers", ["sandpiper", ...floors, ...installed()].join(",")],
    ...["--node", installed().includes("pi") ? await nodeFor(own) : await nodePath()],
  ]) as Results; // written by run.mjs just now
}

async function playLong(): Promise<Results> {
  await buildFloors(root, dist, join(bench, "floors"));
  return await node("run.mjs", "long", [
    ...["--scenarios", "long", "--peers", `sandpiper,${FLOOR}`, "--node", await nodePath()],
  ]) as Results; // written by run.mjs just now
}

async function playPeers(scenario: string, peers: readonly string[]): Promise<Results> {
  return await node("run.mjs", `peers-${scenario}`, [
    ...["--scenarios", scenario, "--peers", peers.join(","), "--node", await nodePath()],
  ]) as Results; // written by run.mjs just now
}

async function tuiPart(folder: string): Promise<Part> {
  await buildFloors(root, dist, join(bench, "floors"));
  const empty = join(bench, "floors", "floor-empty-nocache");
  return await tuiBench({ dist, empty, work: folder, runs: Number(runs) });
}

async function sandboxPart(): Promise<Part> {
  await buildFloors(root, dist, join(bench, "floors"));
  await installLaunchers(join(own, "peers"));
  const folder = ["--launchers", join(own, "peers"), "--node", await nodePath()];
  return await node("sandbox/sandbox.mjs", "sandbox", folder) as Part; // written by sandbox.mjs just now
}

/** Runs one of the harness's programs under Node and reads the numbers that it wrote. */
async function node(script: string, name: string, more: readonly string[]): Promise<unknown> {
  const file = join(work, `${name}.json`);
  const scratch = join(work, name);
  await Deno.mkdir(scratch);
  const run = await new Deno.Command("node", {
    args: [
      join(root, "scripts", "bench", script),
      ...["--dist", dist, "--work", scratch, "--out", file, "--noise", noise, "--runs", runs],
      ...more,
    ],
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  if (!run.success) throw new Error(`${script} failed`);
  return JSON.parse(await Deno.readTextFile(file));
}

function list(value: string): string[] {
  return value.split(",").filter((name) => name !== "");
}

function text(value: unknown, fallback: string): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}

async function nodePath(): Promise<string> {
  const asked = await new Deno.Command("node", { args: ["-p", "process.execPath"] }).output();
  return new TextDecoder().decode(asked.stdout).trim();
}
