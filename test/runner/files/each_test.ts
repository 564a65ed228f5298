import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../src/core/error.ts";
import type { SandboxLevel } from "../../../src/core/policy.ts";
import type { Files } from "../../../src/core/tool.ts";
import { openFiles } from "../../../src/runner/files/files.ts";
import { run, world } from "../workspace.ts";

const MAX = 64 * 1024;
const LEVELS = ["kernel", "permissions"] as const satisfies readonly SandboxLevel[];

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** What `readEach` hands out: name and text of each file. */
function each(files: Files, folder: string, names: readonly string[], maxBytes = MAX): [string, string][] {
  const taken: [string, string][] = [];
  files.readEach(folder, names, maxBytes, (name, bytes) => taken.push([name, textOf(bytes)]) > 0);
  return taken;
}

/** The same by `read`, for names that are no links. */
function oneByOne(files: Files, folder: string, names: readonly string[], maxBytes = MAX): [string, string][] {
  return names.flatMap((name): [string, string][] => {
    try {
      return [[name, textOf(files.read(`${folder}/${name}`, 0, maxBytes))]];
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      return [];
    }
  });
}

for (const sandbox of LEVELS) {
  Deno.test(`readEach() gives what read gives, in order, at level ${sandbox} R451`, () => {
    using w = world((root) => ({ sandbox, denyRead: [`${root}/hidden`] }));
    const sizes = [0, 1, 511, 512, 513, 4096, 8192, MAX - 1, MAX, MAX + 1, 3 * MAX];
    const names = sizes.map((size) => `f${size}`);
    for (const size of sizes) Deno.writeTextFileSync(`${w.root}/f${size}`, "x".repeat(size));
    // More than fits into memory at once.
    for (let i = 0; i < 60; i++) {
      Deno.writeTextFileSync(`${w.root}/n${i}`, `${i};`.repeat(i * 700));
      names.push(`n${i}`);
    }
    Deno.writeTextFileSync(`${w.root}/hidden`, "hidden");
    Deno.mkdirSync(`${w.root}/folder`);
    Deno.writeTextFileSync(`${w.root}/closed`, "closed");
    names.splice(5, 0, "hidden", "folder", "missing", "closed", "f0");
    const files = openFiles(w.policy);
    assertEquals(each(files, w.root, names), oneByOne(files, w.root, names));
    assertEquals(each(files, w.root, names).length, names.length - 3);
    assertEquals(each(files, w.root, names, 10), oneByOne(files, w.root, names, 10));
    const large = 5 * 1024 * 1024;
    assertEquals(each(files, w.root, names, large), oneByOne(files, w.root, names, large));
  });

  Deno.test(`readEach() stops when it is told to, and may be used while it is used, at level ${sandbox}`, () => {
    using w = world(() => ({ sandbox }));
    for (const name of ["a", "b", "c"]) Deno.writeTextFileSync(`${w.root}/${name}`, name.repeat(3));
    const files = openFiles(w.policy);
    // Leaves memory behind that the next two must not share.
    assertEquals(each(files, w.root, ["a"]), [["a", "aaa"]]);
    const taken: string[] = [];
    files.readEach(w.root, ["a", "b", "c"], MAX, (_name, bytes) => {
      assertEquals(each(files, w.root, ["c"]), [["c", "ccc"]]);
      taken.push(textOf(bytes));
      return taken.length < 2;
    });
    assertEquals(taken, ["aaa", "bbb"]);
    const fault = new Error("of the taker");
    assertEquals(
      assertThrows(() =>
        files.readEach(w.root, ["a"], MAX, () => {
          throw fault;
        })
      ),
      fault,
    );
    assertEquals(each(files, w.root, ["b"]), [["b", "bbb"]]);
  });

  Deno.test(`readEach() hands out nothing that lies elsewhere, at level ${sandbox} R458 R459 R460`, () => {
    using w = world(() => ({ sandbox }));
    Deno.writeTextFileSync(`${w.outside}/secret`, "secret");
    Deno.writeTextFileSync(`${w.root}/own`, "own");
    Deno.mkdirSync(`${w.root}/sub`);
    Deno.writeTextFileSync(`${w.root}/sub/x`, "x");
    Deno.symlinkSync(`${w.outside}/secret`, `${w.root}/link`);
    Deno.symlinkSync(w.outside, `${w.root}/folder`);
    Deno.symlinkSync("own", `${w.root}/inside`);
    Deno.symlinkSync("/proc/self/environ", `${w.root}/environ`);
    const names = ["link", "folder/secret", "../outside/secret", "sub/x", "..", ".", "", "inside", "environ"];
    const odd = [`${w.outside}/secret`, "own\0", "own/", "/own", "sub/../own"];
    const files = openFiles(w.policy);
    assertEquals(each(files, w.root, [...names, ...odd, "own"]), [["own", "own"]]);
    for (const folder of [w.outside, `${w.root}/folder`, `${w.root}/../outside`, "/proc/self", "/dev"]) {
      const { message } = assertThrows(() => each(files, folder, ["secret", "environ", "zero"]), ToolError);
      assertEquals(message.startsWith("Denied: read "), true, message);
    }
    assertThrows(() => each(files, `${w.root}/own`, ["x"]), ToolError);
    assertThrows(() => each(files, `${w.root}/gone`, ["x"]), ToolError);
  });

  Deno.test(`readEach() passes over denied names in an allowed folder, at level ${sandbox} R478`, () => {
    using w = world((root) => ({ sandbox, denyRead: [`${root}/a/secret`, `${root}/a/keys`, `${root}/b`] }));
    for (const folder of ["a", "b", "a/keys", "a/free"]) Deno.mkdirSync(`${w.root}/${folder}`);
    for (const path of ["a/secret", "a/SECRET", "a/s\u200cecret", "a/open", "a/keys/k", "b/f", "a/free/f"]) {
      Deno.writeTextFileSync(`${w.root}/${path}`, path);
    }
    Deno.symlinkSync("a", `${w.root}/alias`);
    const files = openFiles(w.policy);
    const names = ["secret", "SECRET", "s\u200cecret", "open", "keys"];
    for (const folder of ["a", "alias"]) assertEquals(each(files, `${w.root}/${folder}`, names), [["open", "a/open"]]);
    assertEquals(each(files, `${w.root}/a/free`, ["f"]), [["f", "a/free/f"]]);
    for (const folder of ["b", "a/keys", "B"]) {
      assertThrows(() => each(files, `${w.root}/${folder}`, ["f", "k"]), ToolError, "may hold secrets");
    }
  });

  Deno.test(`readEach() neither waits for a FIFO nor takes anything out of it, at level ${sandbox} R463`, () => {
    using w = world(() => ({ sandbox }));
    Deno.writeTextFileSync(`${w.root}/own`, "own");
    for (const name of ["silent", "full"]) run("mkfifo", `${w.root}/${name}`);
    // Open at both ends, so that there is a writer and the content stays.
    using full = Deno.openSync(`${w.root}/full`, { read: true, write: true });
    full.writeSync(new TextEncoder().encode("waiting"));
    const files = openFiles(w.policy);
    assertEquals(each(files, w.root, ["silent", "full", "own"]), [["own", "own"]]);
    const left = new Uint8Array(20);
    assertEquals(textOf(left.subarray(0, full.readSync(left) ?? 0)), "waiting");
  });
}

Deno.test("readEach() refuses hard links where no kernel decides by place", () => {
  for (const sandbox of LEVELS) {
    using w = world(() => ({ sandbox }));
    Deno.writeTextFileSync(`${w.outside}/secret`, "secret");
    Deno.linkSync(`${w.outside}/secret`, `${w.root}/hard`);
    assertEquals(each(openFiles(w.policy), w.root, ["hard"]).length, sandbox === "permissions" ? 0 : 1);
  }
});

Deno.test("readEach() hands out nothing of a folder that was replaced while it was read R462", () => {
  using w = world();
  for (const folder of ["d", "e"]) Deno.mkdirSync(`${w.root}/${folder}`);
  const names = ["1", "2", "3"];
  for (const name of names) {
    for (const folder of ["d", "e"]) Deno.writeTextFileSync(`${w.root}/${folder}/${name}`, `${folder}${name}`);
  }
  const taken: string[] = [];
  // A file at a time, so that the folder can be replaced between two batches.
  const room = 1024 * 1024;
  const { message } = assertThrows(() =>
    openFiles(w.policy).readEach(`${w.root}/d`, names, room, (_name, bytes) => {
      taken.push(textOf(bytes));
      Deno.renameSync(`${w.root}/d`, `${w.root}/old`);
      Deno.renameSync(`${w.root}/e`, `${w.root}/d`);
      return true;
    }), ToolError);
  assertEquals(taken, ["d1"]);
  assertEquals(message.includes("was replaced while it was opened"), true, message);
});
