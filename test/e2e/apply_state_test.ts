// What `sandpiper apply` leaves in the user directory, and what it accepts there.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { FULL_PROGRAM, inWorkspace, type Ran, run } from "../helpers/program.ts";
import { bytesOf } from "../../src/core/support/tree.ts";
import { writeDifference } from "../../src/trial/write_patch.ts";

const content = (text: string) => ({ mode: "100644", bytes: bytesOf(text) } as const);
const PATCH = writeDifference({ path: "a.txt", before: content("one\n"), after: content("two\n") }).text;

interface Place {
  readonly ws: string;
  /** Where sandpiper stores journals of interrupted applications. */
  readonly state: string;
  readonly apply: (...more: readonly string[]) => Promise<Ran>;
  readonly undo: () => Promise<Ran>;
}

function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  return inWorkspace({ "a.txt": "one\n" }, async ({ ws, home }) => {
    Deno.writeTextFileSync(`${home}/a.patch`, PATCH);
    const options = { cwd: ws, env: { HOME: home } };
    await work({
      ws,
      state: `${home}/.sandpiper/agent/apply`,
      apply: () => run(FULL_PROGRAM, ["apply", `${home}/a.patch`], options),
      undo: () => run(FULL_PROGRAM, ["undo"], options),
    });
  });
}

function journals(state: string): string[] {
  return [...Deno.readDirSync(state)].map(({ name }) => name).filter((name) => name.endsWith(".journal"));
}

Deno.test("a patch that was applied leaves no journal, so that nothing takes it back", () =>
  inPlace(async ({ ws, state, apply, undo }) => {
    assertEquals((await apply()).code, 0);
    assertEquals([journals(state), Deno.readTextFileSync(`${ws}/a.txt`)], [[], "two\n"]);
    await undo();
    assertEquals(Deno.readTextFileSync(`${ws}/a.txt`), "two\n");
  }));

Deno.test("a journal of another workspace changes nothing here", () =>
  inPlace(async ({ ws, state, apply, undo }) => {
    assertEquals((await apply()).code, 0);
    const [lock] = [...Deno.readDirSync(state)].map(({ name }) => name).filter((name) => name.endsWith(".lock"));
    // The first step was done, the second was not.
    const before = { kind: "file", mode: 0o644, at: 0, length: 4 };
    const steps = ["a.txt", "b.txt"].map((path) => ({ path, before, after: { kind: "absent" } }));
    Deno.writeTextFileSync(`${ws}/b.txt`, "old\n");
    Deno.removeSync(`${ws}/a.txt`);
    const head = { type: "apply", version: 1, root: "/another", temporary: ".x.tmp", folders: [], steps };
    Deno.writeTextFileSync(`${state}/${lock?.replace(/lock$/, "journal")}`, `${JSON.stringify(head)}\nold\n`);
    await undo();
    assertEquals([...Deno.readDirSync(ws)].some(({ name }) => name === "a.txt"), false);
  }));

Deno.test("two processes cannot apply to one workspace at once", () =>
  inPlace(async ({ ws, state, apply }) => {
    assertEquals((await apply()).code, 0);
    Deno.writeTextFileSync(`${ws}/a.txt`, "one\n");
    const [lock] = [...Deno.readDirSync(state)].map(({ name }) => name).filter((name) => name.endsWith(".lock"));
    using held = Deno.openSync(`${state}/${lock}`, { read: true, write: true });
    await held.lock(true);
    const { code, stderr } = await apply();
    assertEquals([code, Deno.readTextFileSync(`${ws}/a.txt`)], [1, "one\n"]);
    assertStringIncludes(stderr, "another process is applying a patch");
  }));
