import { join } from "@std/path";
import { output } from "../build/base_runtime.ts";
import { buildBinary } from "../build/build_binary.ts";
import { recordRun } from "../build/record.ts";
import { isFile } from "../../src/core/support/on_disk.ts";
import { buildFloors } from "./floors.ts";
import { type Part, spreadOf } from "./part_goals.ts";

/** Context files on the way down to the workspace, the user's own included. */
const CONTEXT_FILES = 10;
const SKILLS = 100;
const MANY_SKILLS = 1000;

/** Where things are, and how often everything is measured. */
interface CompileBench {
  readonly root: string;
  readonly dist: string;
  /** A folder to make. */
  readonly work: string;
  readonly runs: number;
}

/** Measures compiling the prompt: warm, cold with the disk, its default size, and what 1,000 skills cost before it is there. */
export async function compileBench({ root, dist, work, runs }: CompileBench): Promise<Part> {
  const notes: string[] = [];
  const cold: number[] = [];
  const warm: number[] = [];
  const place = makePlace(join(work, "many"), CONTEXT_FILES, SKILLS);
  const compiler = await buildProbe(root, dist, work, place);
  for (let round = 0; round < runs; round++) {
    const run = await probe(compiler, place);
    cold.push(run.coldMs);
    warm.push(run.warmMs);
    const wanted = [CONTEXT_FILES, SKILLS, 30];
    if (run.found.join() !== wanted.join()) notes.push(`found ${run.found.join(", ")} instead of ${wanted.join(", ")}`);
  }
  const few = makePlace(join(work, "few"), 0, 0);
  const thousand = makePlace(join(work, "thousand"), 0, MANY_SKILLS);
  const program = join(dist, "sandpiper");
  const [without, withSkills, delay]: [number[], number[], number[]] = [[], [], []];
  for (let round = -1; round < runs; round++) {
    const [a, b] = [await promptMs(program, few), await promptMs(program, thousand)];
    if (round < 0) continue; // the program's own files are unpacked by the first run
    without.push(a.ms);
    withSkills.push(b.ms);
    delay.push(b.ms - a.ms);
  }
  const empty = join(dist, "bench", "floors", "floor-empty-nocache");
  await buildFloors(root, dist, join(dist, "bench", "floors"));
  const starts: number[] = [];
  for (let round = -1; round < runs; round++) {
    const before = performance.now();
    await output(empty, [], few.ws);
    if (round >= 0) starts.push(performance.now() - before);
  }
  const text = inPlainHome((await promptMs(program, few)).text, few);
  const listing = /^Skills, .*<\/available_skills>$/ms.exec(text)?.[0] ?? "";
  const listed = listing.split("<skill>").length - 1;
  return {
    part: "compile",
    measures: {
      "compile, 10 context files, 100 skills, 30 tools": {
        "cold, disk included": spreadOf(cold),
        warm: spreadOf(warm),
      },
      "exec → prompt compiled": {
        "no skills": spreadOf(without),
        "1,000 skills": spreadOf(withSkills),
        difference: spreadOf(delay),
      },
      "start": { "empty program": spreadOf(starts) },
      "default prompt, characters": {
        sandpiper: spreadOf([[...text.trimEnd()].length]),
        [`of these ${listed} bundled skills`]: spreadOf([[...listing].length]),
      },
    },
    notes,
  };
}

interface Place {
  readonly ws: string;
  readonly user: string;
  readonly home: string;
}

function makePlace(folder: string, contextFiles: number, skills: number): Place {
  const home = join(folder, "home");
  const user = join(home, ".sandpiper", "agent");
  let ws = join(folder, "ws");
  Deno.mkdirSync(user, { recursive: true });
  const text = "Keep functions short. Write the test first. Say why in comments, never what.\n".repeat(25);
  if (contextFiles > 0) Deno.writeTextFileSync(join(user, "AGENTS.md"), `# The user's own\n\n${text}`);
  for (let i = 1; i < contextFiles; i++) {
    ws = join(ws, `level${i}`);
    Deno.mkdirSync(ws, { recursive: true });
    Deno.writeTextFileSync(join(ws, "AGENTS.md"), `# Level ${i}\n\n${text}`);
  }
  Deno.mkdirSync(ws, { recursive: true });
  for (let i = 0; i < skills; i++) {
    const skill = join(user, "skills", `skill-${i}`);
    Deno.mkdirSync(skill, { recursive: true });
    const head = `name: skill-${i}\ndescription: Does the task number ${i} and says when it is the one to use`;
    Deno.writeTextFileSync(join(skill, "SKILL.md"), `---\n${head}\n---\n\n# Skill ${i}\n\n${text}`);
  }
  return { ws, user, home };
}

/** A prompt as it would be for somebody at home in a plain place: the folders of a bench have long names. */
function inPlainHome(text: string, { ws, home }: Place): string {
  return text.replaceAll(ws, "/home/ana/app").replaceAll(home, "/home/ana");
}

interface Probed {
  readonly coldMs: number;
  readonly warmMs: number;
  readonly found: readonly number[];
}

/** Builds the probe as the product is built: what a start has to compile anew is part of what is measured. */
async function buildProbe(root: string, dist: string, work: string, place: Place): Promise<string> {
  const [folder, parts, out] = [join(work, "probe"), join(work, "probe-build"), join(work, "compile-probe")];
  for (const made of [folder, parts]) Deno.mkdirSync(made, { recursive: true });
  Deno.writeTextFileSync(join(folder, "deno.json"), "{}");
  const base = join(dist, "base");
  await buildBinary({
    ...{ root, entries: ["scripts/bench/probes/compile_probe.ts"], folder, work: parts, out, base },
    // `deno task compile` puts its base there when the official host did not answer.
    registry: isFile(base),
    scenarios: (recorder) => [
      { run: () => recordRun(recorder, [place.ws, place.user]), packs: [{ name: "probe", stage: "end" }] },
    ],
  });
  return out;
}

async function probe(program: string, { ws, user }: Place): Promise<Probed> {
  return JSON.parse(await output(program, [ws, user], ws));
}

/** From the start of `sandpiper prompt` to its end: everything of a first request but the provider. */
async function promptMs(program: string, { ws, home }: Place): Promise<{ ms: number; text: string }> {
  const before = performance.now();
  const done = await new Deno.Command(program, {
    args: ["prompt"],
    cwd: ws,
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8" },
    stdin: "null",
    stderr: "piped",
  }).output();
  if (!done.success) throw new Error(`sandpiper prompt: ${new TextDecoder().decode(done.stderr).trim()}`);
  return { ms: performance.now() - before, text: new TextDecoder().decode(done.stdout) };
}
