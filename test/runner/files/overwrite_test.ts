import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import { openFiles } from "../../../src/runner/files/files.ts";
import { run, SOURCE } from "../../helpers/program.ts";
import { world } from "../workspace.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** A workspace in which one file may be written and nothing else. */
function alone(): ReturnType<typeof world> {
  const w = world((root) => ({ write: { all: false, list: [`${root}/f`] } }));
  Deno.writeTextFileSync(`${w.root}/f`, "old text\n");
  return w;
}

Deno.test("openFiles() writes a file that was granted without its folder in its place R453", () => {
  using w = alone();
  const before = Deno.statSync(`${w.root}/f`).ino;
  for (const text of ["longer than the old text\n", "short\n", ""]) {
    openFiles(w.policy).write(`${w.root}/f`, bytes(text));
    assertEquals(Deno.readTextFileSync(`${w.root}/f`), text);
  }
  assertEquals(Deno.statSync(`${w.root}/f`).ino, before);
  assertEquals(Array.from(Deno.readDirSync(w.root), ({ name }) => name), ["f"]);
});

Deno.test("openFiles() writes a file beside a denied one in its place at kernel, where the folder's names stay as they are", () => {
  const rules = (root: string) => ({ sandbox: "kernel" as const, denyRead: [`${root}/.env`] });
  using w = world(rules);
  Deno.writeTextFileSync(`${w.root}/f`, "old text\n");
  const before = Deno.statSync(`${w.root}/f`).ino;
  openFiles(w.policy).write(`${w.root}/f`, bytes("new"));
  assertEquals(Deno.readTextFileSync(`${w.root}/f`), "new");
  assertEquals(Deno.statSync(`${w.root}/f`).ino, before);
});

Deno.test("openFiles() names the folder where a new file needs it, and for one with a second name", () => {
  using w = alone();
  Deno.linkSync(`${w.root}/f`, `${w.outside}/same`);
  const hard = assertThrows(() => openFiles(w.policy).write(`${w.root}/f`, bytes("x")), ToolError).message;
  assertStringIncludes(hard, "it has 2 hard links, and names in its folder cannot be changed");
  Deno.removeSync(`${w.root}/f`);
  const made = assertThrows(() => openFiles(w.policy).write(`${w.root}/f`, bytes("x")), ToolError).message;
  assertStringIncludes(made, "a new file changes its folder, which is outside the write scope");
  assertStringIncludes(made, `--allow-write=+${w.root}/`);
  assertEquals(Deno.readTextFileSync(`${w.outside}/same`), "old text\n");
});

Deno.test({
  name: "overwrite() leaves the old content where there is no room for the new",
  ignore: Deno.build.os === "windows",
  fn() {
    using w = alone();
    const path = `${w.root}/f`;
    const old = "o".repeat(1_500_000);
    Deno.writeTextFileSync(path, old);
    const probe = new URL("../overwrite_probe.ts", import.meta.url).pathname;
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    // A limit on the size of files stands for a full disk: what fits is written, the rest is refused.
    const { stdout } = new Deno.Command("/bin/bash", {
      args: [
        ...["-c", 'ulimit -f 2000; trap "" XFSZ; exec "$0" run -A --no-prompt --config "$@"'],
        ...[Deno.execPath(), config, probe, path, "3000000"],
      ],
    }).outputSync();
    assertMatch(new TextDecoder().decode(stdout), /^(?:EFBIG|File too large)/);
    assertEquals(Deno.readTextFileSync(path) === old, true);
  },
});

for (const level of ["auto", "permissions"]) {
  Deno.test(`write, edit and bash with a single file in the scope, --sandbox ${level} R453 R477`, async () => {
    const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sandpiper-one-file-" }));
    try {
      const [ws, home] = [`${folder}/ws`, `${folder}/home`];
      for (const made of [ws, home]) Deno.mkdirSync(made);
      Deno.writeTextFileSync(`${ws}/a.txt`, "one\n");
      Deno.writeTextFileSync(`${ws}/b.txt`, "two\n");
      const replies = [
        { calls: [{ name: "write", args: { path: "a.txt", content: "new\n" } }] },
        { calls: [{ name: "edit", args: { path: "a.txt", edits: [{ oldText: "new", newText: "newer" }] } }] },
        { calls: [{ name: "write", args: { path: "b.txt", content: "new\n" } }] },
        { calls: [{ name: "bash", args: { command: "echo bash >> a.txt; echo bash >> b.txt" } }] },
        { text: "done" },
      ];
      Deno.writeTextFileSync(`${folder}/c.jsonl`, replies.map((reply) => JSON.stringify(reply)).join("\n"));
      const args = ["--model", `replay:${folder}/c.jsonl`, "--sandbox", level, "--allow-write=a.txt", "-p", "go"];
      const { code, stderr } = await run(SOURCE, args, { cwd: ws, env: { HOME: home } });
      assertEquals(code, 0, stderr);
      // What was not done is told, and nothing else.
      const lines = stderr.trimEnd().split("\n");
      assertMatch(lines.pop() ?? "", /^warning: \d calls? w\w+ denied.*\. To allow \w+: --allow-write=\+\S+\/ws\/$/);
      for (const line of lines) assertMatch(line, /^warning: denied.*b\.txt/);
      assertEquals(Deno.readTextFileSync(`${ws}/a.txt`), "newer\nbash\n");
      assertEquals(Deno.readTextFileSync(`${ws}/b.txt`), "two\n");
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  });
}
