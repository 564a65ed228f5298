import { assertEquals, assertRejects } from "@std/assert";
import { configure } from "../../src/config/config.ts";
import { createModelState, type ModelState } from "../../src/engine/model_state.ts";
import { parseCommandLine } from "../../src/config/options/parse.ts";
import { UserError } from "../../src/core/error.ts";

const REPLY = '{"text":"one"}\n';

/** The models of a session whose cassettes are files of a folder beside its workspace, where tools cannot write. */
async function inFolder(first: string, work: (state: ModelState, folder: string) => Promise<void>): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-models-" }));
  try {
    const cwd = `${folder}/workspace`;
    Deno.mkdirSync(cwd);
    const world = {
      env: { HOME: folder },
      cwd,
      home: folder,
      stdinIsTerminal: true,
      stdoutIsTerminal: true,
      mayRun: true,
    };
    const state = createModelState({
      config: configure(parseCommandLine(["-m", `replay:${folder}/${first}`]), world),
      first: { kind: "replay", file: `${folder}/${first}` },
      thinking: "off",
      seams: {},
      variable: () => undefined,
      tell: () => {},
    });
    await work(state, folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** A cassette that opens only when something is written to it. */
async function slow(path: string): Promise<void> {
  const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
  assertEquals(success, true);
}

Deno.test("a model that is chosen while another opens is the one that is shown and asked", () =>
  inFolder("a.jsonl", async (state, folder) => {
    await slow(`${folder}/a.jsonl`);
    Deno.writeTextFileSync(`${folder}/b.jsonl`, REPLY);
    const asked = state.current();
    await state.choose(`replay:${folder}/b.jsonl`);
    await Deno.writeTextFile(`${folder}/a.jsonl`, REPLY);
    for (const active of [await asked, await state.current()]) {
      assertEquals([active.id, active.provider.model], [`replay:${folder}/b.jsonl`, `${folder}/b.jsonl`]);
    }
    assertEquals(state.id(), `replay:${folder}/b.jsonl`);
  }));

Deno.test("of two that are chosen at once the later one answers, however long the first takes to open", () =>
  inFolder("a.jsonl", async (state, folder) => {
    for (const name of ["a", "c"]) Deno.writeTextFileSync(`${folder}/${name}.jsonl`, REPLY);
    await slow(`${folder}/b.jsonl`);
    const choosing = [state.choose(`replay:${folder}/b.jsonl`), state.choose(`replay:${folder}/c.jsonl`)];
    // The later one has all the time that it needs to be there first.
    for (let i = 0; i < 50; i++) await Deno.readTextFile(`${folder}/c.jsonl`);
    await Deno.writeTextFile(`${folder}/b.jsonl`, REPLY);
    await Promise.all(choosing);
    assertEquals([state.id(), (await state.current()).provider.model], [
      `replay:${folder}/c.jsonl`,
      `${folder}/c.jsonl`,
    ]);
  }));

Deno.test("a cassette that is a pipe where tools can write is rejected, and nothing waits for it", () =>
  inFolder("workspace/a.jsonl", async (state, folder) => {
    await slow(`${folder}/workspace/a.jsonl`);
    await assertRejects(state.current, UserError, "is not a regular file");
  }));

Deno.test("a model that could not be opened is opened again when it is asked for the next time", () =>
  inFolder("later.jsonl", async (state, folder) => {
    await assertRejects(state.current, UserError, "cassette");
    Deno.writeTextFileSync(`${folder}/later.jsonl`, REPLY);
    assertEquals((await state.current()).provider.model, `${folder}/later.jsonl`);
  }));
