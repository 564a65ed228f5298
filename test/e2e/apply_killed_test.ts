// SIGKILL in the middle of `sandpiper apply`: whoever comes next takes back what it had done.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FULL_PROGRAM, inWorkspace, type Ran, run, start } from "../helpers/program.ts";
import { bytesOf } from "../../src/core/support/tree.ts";
import { writeDifference } from "../../src/trial/write_patch.ts";
import { snapshot, treeAt } from "../trial/trees.ts";

/** So many that applying them takes longer than it takes to see that it has begun. */
const FILES = 600;

const nameOf = (at: number): string => `part${at % 7}/file${at}.txt`;
const content = (text: string) => ({ mode: "100644", bytes: bytesOf(text) } as const);

/** A workspace, a patch that changes, makes and deletes files of it, and the program killed after some of them. */
function inPlace(
  work: (place: {
    readonly ws: string;
    readonly shot: () => Readonly<Record<string, string>>;
    readonly program: (...args: readonly string[]) => Promise<Ran>;
    /** Applies the patch, and is killed when so many of its files are changed. */
    readonly killed: (after: number) => Promise<void>;
    readonly patch: string;
  }) => Promise<void>,
): Promise<void> {
  return inWorkspace({}, async ({ ws, home }) => {
    for (let part = 0; part < 7; part++) Deno.mkdirSync(`${ws}/part${part}`);
    for (let at = 0; at < FILES; at++) Deno.writeTextFileSync(`${ws}/${nameOf(at)}`, `${at}\n`);
    const patch = `${home}/all.patch`;
    Deno.writeTextFileSync(
      patch,
      Array.from({ length: FILES }, (_, at) => {
        const [path, before, after] = [nameOf(at), content(`${at}\n`), content(`new ${at}\n`)];
        if (at % 10 === 0) return writeDifference({ path, before }).text;
        const made = at % 10 === 1 ? writeDifference({ path: `made/in${at}/f`, after }).text : "";
        return writeDifference({ path, before, after }).text + made;
      }).join(""),
    );
    const options = { cwd: ws, env: { HOME: home } };
    const shot = (): Readonly<Record<string, string>> => {
      const tree = treeAt(ws);
      try {
        return snapshot(tree);
      } finally {
        tree.close();
      }
    };
    const before = shot();
    const killed = async (after: number): Promise<void> => {
      // Changed files are written after the deleted ones are gone: this is the one that tells how far it is.
      const place = `${ws}/${nameOf(after - after % 10 + 5)}`;
      const { ino } = Deno.statSync(place);
      for (let attempt = 0; attempt < 15; attempt++) {
        const child = start(FULL_PROGRAM, ["apply", patch], options);
        let hasEnded = false;
        const output = child.output().finally(() => hasEnded = true);
        // Looked at more often than by `until`: applying takes some tenths of a second.
        while (!hasEnded && Deno.statSync(place).ino === ino) await new Promise((resolve) => setTimeout(resolve, 1));
        if (!hasEnded) child.kill("SIGKILL");
        const { signal, stderr } = await output;
        if (signal === "SIGKILL") break;
        assertEquals(new TextDecoder().decode(stderr), "");
        // It was faster than this test.
        const back = await new Deno.Command("git", { args: ["apply", "-R", patch], cwd: ws }).output();
        assert(back.success);
      }
      assert(JSON.stringify(shot()) !== JSON.stringify(before), "nothing was changed");
    };
    await work({ ws, shot, killed, patch, program: (...args) => run(FULL_PROGRAM, args, options) });
  });
}

Deno.test("apply that is killed in the middle is taken back by undo, and by the next apply before its own patch", () =>
  inPlace(async ({ ws, shot, killed, patch, program }) => {
    const before = shot();
    await killed(10);
    const undone = await program("undo");
    assertEquals([undone.code, undone.stdout], [0, "Nothing else was undone\n"], undone.stderr);
    assertStringIncludes(undone.stderr, "the application of a patch was cut off in the middle: ");
    assertEquals(shot(), before);

    await killed(250);
    const dry = await program("apply", patch, "--dry-run");
    assertEquals(dry.code, 1);
    assertStringIncludes(dry.stderr, "Take that back first: sandpiper undo");
    Deno.writeTextFileSync(`${ws}/part0/file7.txt`, "mine\n");
    Deno.writeTextFileSync(`${ws}/small.patch`, writeDifference({ path: "small", after: content("small\n") }).text);
    const small = await program("apply", "small.patch");
    assertEquals(small.code, 0, small.stderr);
    assertStringIncludes(small.stderr, "part0/file7.txt is left as it is: somebody else changed it since then\n");
    Deno.removeSync(`${ws}/small.patch`);
    assertEquals(shot(), { ...before, "part0/file7.txt": "file mine\n", small: "file small\n" });

    Deno.writeTextFileSync(`${ws}/part0/file7.txt`, "7\n");
    await killed(500);
    const whole = await program("apply", patch);
    assertEquals(whole.code, 0, whole.stderr);
    const now = shot();
    for (let at = 0; at < FILES; at++) assertEquals(now[nameOf(at)], at % 10 === 0 ? undefined : `file new ${at}\n`);
    assertEquals(Object.keys(now).filter((name) => name.endsWith(".tmp")), []);
  }));
