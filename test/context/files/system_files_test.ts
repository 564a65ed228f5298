import { OWN_FILES } from "../../helpers/named_files.ts";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { UserError } from "../../../src/core/error.ts";
import { gatherSystemFiles, type SystemFileOptions } from "../../../src/context/files/system_files.ts";
import { inFolder } from "../world.ts";

function gather(root: string, changes: Partial<SystemFileOptions> = {}) {
  return gatherSystemFiles({
    root,
    projectFolder: join(root, ".sandpiper"),
    userFolder: join(root, "user"),
    trusted: true,
    canRead: () => true,
    home: join(root, "home"),
    named: OWN_FILES,
    ...changes,
  });
}

const BOTH = {
  ".sandpiper/SYSTEM.md": "project base",
  "user/SYSTEM.md": "user base",
  ".sandpiper/APPEND_SYSTEM.md": "project addition",
  "user/APPEND_SYSTEM.md": "user addition",
};

Deno.test("gatherSystemFiles() R9 R11 R19 takes the project's files where both exist", () =>
  inFolder(BOTH, (root) => {
    assertEquals(gather(root), {
      systemOverride: { path: join(root, ".sandpiper/SYSTEM.md"), status: "loaded", text: "project base" },
      appendSystem: [{ path: join(root, ".sandpiper/APPEND_SYSTEM.md"), status: "loaded", text: "project addition" }],
      diagnostics: [],
    });
  }));

Deno.test("gatherSystemFiles() R10 takes the user's files where there are no others", () =>
  inFolder({ "user/SYSTEM.md": "user base", "user/APPEND_SYSTEM.md": "user addition" }, (root) => {
    const found = gather(root);
    assertEquals([found.systemOverride?.text, found.appendSystem.map((file) => file.text)], [
      "user base",
      ["user addition"],
    ]);
    assertEquals(gather(root, { userFolder: undefined }), { appendSystem: [], diagnostics: [] });
  }));

const BLANK = { nothing: "", "line ends": "\r\n\n", "a byte order mark": "\ufeff", "terminal controls": "\x1b[2J\n" };
for (const [name, text] of Object.entries(BLANK)) {
  Deno.test(`gatherSystemFiles() R9 R10 R19 passes by a project's file that holds ${name}, and takes the user's`, () =>
    inFolder({ ...BOTH, ".sandpiper/SYSTEM.md": text, ".sandpiper/APPEND_SYSTEM.md": text }, (root) => {
      assertEquals(gather(root), {
        systemOverride: { path: join(root, "user/SYSTEM.md"), status: "loaded", text: "user base" },
        appendSystem: [{ path: join(root, "user/APPEND_SYSTEM.md"), status: "loaded", text: "user addition" }],
        diagnostics: [],
      });
      // Alone it is still told of: the manifest has it as a source without characters.
      assertEquals(gather(root, { userFolder: undefined }).systemOverride?.path, join(root, ".sandpiper/SYSTEM.md"));
    }));
}

Deno.test("gatherSystemFiles() a project's file that cannot be read was meant: the user's does not stand for it", () =>
  inFolder({ ".sandpiper/SYSTEM.md/": "", "user/SYSTEM.md": "user base" }, (root) => {
    assertEquals(gather(root).systemOverride?.status, "read_error");
  }));

Deno.test("gatherSystemFiles() passes by an untrusted project's files, says so, and takes the user's", () =>
  inFolder(BOTH, (root) => {
    const found = gather(root, { trusted: false });
    assertEquals([found.systemOverride?.text, found.appendSystem.map((file) => file.text)], [
      "user base",
      ["user addition"],
    ]);
    assertEquals(found.diagnostics.map(({ code, file }) => `${code} ${file}`), [
      `untrusted ${join(root, ".sandpiper/SYSTEM.md")}`,
      `untrusted ${join(root, ".sandpiper/APPEND_SYSTEM.md")}`,
    ]);
  }));

Deno.test("gatherSystemFiles() R20 the flags come before the files", () =>
  inFolder({ ...BOTH, "base.md": "file base" }, (root) => {
    const found = gather(root, { systemPrompt: "Be a poet", appendSystemPrompt: ["One line", "@base.md"] });
    assertEquals(found.systemOverride, { path: "--system-prompt", status: "loaded", text: "Be a poet" });
    assertEquals(found.appendSystem.map((file) => file.text), ["One line", "file base", "project addition"]);
    assertEquals(gather(root, { systemPrompt: "@base.md" }).systemOverride?.path, join(root, "base.md"));
  }));

Deno.test("gatherSystemFiles() takes a value for a text, and @FILE alone for a file", () =>
  inFolder({ "folder.md/": "", "Be brief": "EVIL", "home/mine": "of the home", "bad": "a\0b" }, (root) => {
    for (const systemPrompt of ["@missing.md", "@./missing", "@/nowhere/x", "@folder.md", "@~/x", "@bad", "@ a"]) {
      const error = assertThrows(() => gather(root, { systemPrompt }), UserError);
      assertStringIncludes(error.what, systemPrompt);
      assertEquals(error.exitCode, 2);
    }
    for (const systemPrompt of ["missing.md", "./missing", "/nowhere/x", "~/x", "Be brief", join(root, "Be brief")]) {
      const error = assertThrows(() => gather(root, { systemPrompt }), UserError);
      assertStringIncludes(error.fix, `--system-prompt @${systemPrompt}`);
    }
    for (const systemPrompt of ["Be brief.", "Two\nlines.md", "", "x".repeat(5000), "@", "a @Be brief"]) {
      assertEquals(gather(root, { systemPrompt }).systemOverride?.text, systemPrompt);
    }
    assertEquals(gather(root, { systemPrompt: "@@missing.md" }).systemOverride?.text, "@missing.md");
    assertEquals(gather(root, { systemPrompt: "@~/mine" }).systemOverride?.text, "of the home");
    assertEquals(gather(root, { appendSystemPrompt: ["@Be brief"] }).appendSystem[0]?.text, "EVIL");
  }));

Deno.test("gatherSystemFiles() R348 a folder of that name is an entry and no crash", () =>
  inFolder({ ".sandpiper/SYSTEM.md/": "" }, (root) => {
    const { systemOverride } = gather(root);
    assertEquals(systemOverride?.status, "read_error");
    assert(systemOverride?.message);
  }));
