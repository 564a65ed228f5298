// Random trees, random things that commands do to them, and undo to every moment in any order: the same bytes, modes and links.
// SANDPIPER_UNDO_SEEDS says how many, SANDPIPER_UNDO_SEED the first one.
import { assertEquals } from "@std/assert";
import { undoPoints } from "../../src/changes/undo.ts";
import { seeded } from "../helpers/seeded.ts";
import { callStart, withRecorded } from "./recorded.ts";

const SEEDS = Number(Deno.env.get("SANDPIPER_UNDO_SEEDS") ?? 150);
const FIRST = Number(Deno.env.get("SANDPIPER_UNDO_SEED") ?? 1);
const NAMES = ["a", "b.ts", "c d", "ü", "sub", "deep", "x.json", "-n", ".hidden"];
const MODES = [0o600, 0o644, 0o755, 0o400, 0o444, 0o664];
const FOLDER_MODES = [0o700, 0o755, 0o750, 0o777];

type Random = (below: number) => number;

/** Everything below a folder: kind, mode and content by path. */
function snapshot(root: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (folder: string, prefix: string): void => {
    for (const { name } of [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1)) {
      const path = `${folder}/${name}`;
      const info = Deno.lstatSync(path);
      const mode = ((info.mode ?? 0) & 0o7777).toString(8);
      if (info.isSymlink) found[prefix + name] = `link ${Deno.readLinkSync(path)}`;
      else if (info.isDirectory) {
        found[prefix + name] = `folder ${mode}`;
        walk(path, `${prefix}${name}/`);
      } else found[prefix + name] = `file ${mode} ${Deno.readTextFileSync(path)}`;
    }
  };
  walk(root, "");
  return found;
}

/** All paths of one kind, the root among the folders. */
function pathsOf(root: string, kind: "file" | "folder" | "any"): string[] {
  const all = Object.entries(snapshot(root));
  const some = all.filter(([, what]) => kind === "any" || what.startsWith(kind)).map(([path]) => `${root}/${path}`);
  return kind === "folder" ? [root, ...some] : some;
}

/** Does one thing; what the system refuses is not done. */
function act(root: string, random: Random): string {
  const pick = <T>(list: readonly T[]): T | undefined => list[random(list.length)];
  const folder = pick(pathsOf(root, "folder")) ?? root;
  const fresh = `${folder}/${pick(NAMES)}`;
  const file = pick(pathsOf(root, "file")) ?? fresh;
  const any = pick(pathsOf(root, "any")) ?? fresh;
  const text = "line\n".repeat(random(4)) + String(random(5)) + (random(2) ? "\n" : "");
  const acts: Readonly<Record<string, () => void>> = {
    create: () => Deno.writeTextFileSync(fresh, text, { createNew: true, mode: pick(MODES) ?? 0o644 }),
    write: () => Deno.writeTextFileSync(file, text),
    append: () => Deno.writeTextFileSync(file, text, { append: true, create: false }),
    truncate: () => Deno.truncateSync(file, random(6)),
    same: () => Deno.writeFileSync(file, Deno.readFileSync(file)),
    rename: () => Deno.renameSync(any, fresh),
    renameOver: () => Deno.renameSync(any, pick(pathsOf(root, "any")) ?? fresh),
    link: () => Deno.symlinkSync(pick(["a", "../x", "/etc/passwd", "nowhere"]) ?? "a", fresh),
    hardLink: () => Deno.linkSync(file, fresh),
    chmod: () => Deno.chmodSync(file, pick(MODES) ?? 0o644),
    chmodFolder: () => folder === root ? undefined : Deno.chmodSync(folder, pick(FOLDER_MODES) ?? 0o755),
    mkdir: () => Deno.mkdirSync(fresh, { mode: pick(FOLDER_MODES) ?? 0o755 }),
    remove: () => Deno.removeSync(file),
    removeAll: () => Deno.removeSync(any, { recursive: true }),
    folderForFile: () => {
      Deno.removeSync(file);
      Deno.mkdirSync(file);
      Deno.writeTextFileSync(`${file}/in`, text);
    },
    fileForAny: () => {
      Deno.removeSync(any, { recursive: true });
      Deno.writeTextFileSync(any, text);
    },
    linkForAny: () => {
      Deno.removeSync(any, { recursive: true });
      Deno.symlinkSync("a", any);
    },
    again: () => {
      const bytes = Deno.readFileSync(file);
      Deno.removeSync(file);
      Deno.writeFileSync(file, bytes);
    },
  };
  const name = pick(Object.keys(acts)) ?? "";
  try {
    acts[name]?.();
    return `${name} ${file === fresh ? "" : file.slice(root.length)} ${fresh.slice(root.length)} ${
      any.slice(root.length)
    }`;
  } catch {
    return `${name}, refused`;
  }
}

async function run(seed: number): Promise<void> {
  const random = seeded(seed).below;
  const log: string[] = [];
  const fill = (root: string): void => {
    for (let count = 5 + random(10); count > 0; count--) act(root, random);
  };
  await withRecorded(fill, async ({ root, recorder, journal, parts, failures, undo }) => {
    const states: Readonly<Record<string, string>>[] = [];
    const prompts = 1 + random(4);
    for (let prompt = 0; prompt < prompts; prompt++) {
      states.push(snapshot(root));
      recorder.runStarts();
      recorder.prompt(`entry${prompt}`);
      log.push(`prompt ${prompt + 1}`);
      for (let calls = 1 + random(3); calls > 0; calls--) {
        const call = { toolCallId: `call${prompt}.${calls}`, toolName: "bash" };
        await recorder.callStarts(call, callStart());
        for (let acts = 1 + random(6); acts > 0; acts--) log.push(act(root, random));
        recorder.callEnds(call.toolCallId);
        if (random(2)) recorder.lookSoon();
        // Sometimes the next call comes before the look has ended.
        if (random(2)) await recorder.settle();
      }
      await recorder.runEnds();
    }
    await recorder.catchUp();
    /** What was there before each undo. */
    const before: Readonly<Record<string, string>>[] = [];
    for (let jumps = 0; jumps < prompts + 3; jumps++) {
      const points = undoPoints(parts);
      const told = points.filter(({ kind }) => kind === "prompt");
      // First from the last prompt to the first, then anywhere.
      const point = jumps < told.length ? told.at(-1 - jumps) : points[random(points.length)];
      if (point === undefined) break;
      const want = point.entryId === undefined
        ? before[point.number - 1 - told.length]
        : states[Number(point.entryId.slice(5))];
      const now = snapshot(root);
      const count = journal.records.length;
      const outcome = await undo({ to: point.number });
      log.push(`undo to ${point.number}: ${outcome.steps.map(({ action, path }) => `${action} ${path}`).join(", ")}`);
      assertEquals({ seed, log, left: outcome.left, state: snapshot(root) }, {
        seed,
        log,
        left: [],
        state: want ?? {},
      });
      if (journal.records.length > count) before.push(now);
    }
    const outside = journal.records.filter((record) => record.type === "look" && record.of === "outside");
    assertEquals({ seed, log, outside, failures }, { seed, log, outside: [], failures: [] });
  });
}

Deno.test(`undo to any moment gives back bytes, modes and links: ${SEEDS} random histories`, async () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) await run(seed);
});
