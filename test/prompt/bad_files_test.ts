import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { gatherContextFiles } from "../../src/context/context_files.ts";
import { BOUNDARY } from "../../src/prompt/boundary.ts";
import { compilePrompt } from "../../src/prompt/compile.ts";
import { inputs, meta } from "./sample.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** Every state that a file on disk can be in, from the disk to the prompt: `code` is the diagnostic, `shows` what is sent. */
const STATES: readonly {
  readonly name: string;
  readonly make: (path: string) => void;
  readonly code?: string;
  readonly shows?: string;
  readonly hides?: string;
}[] = [
  { name: "absent", make: () => {} },
  { name: "empty", make: (path) => Deno.writeTextFileSync(path, "") },
  { name: "a folder", make: (path) => Deno.mkdirSync(path), code: "file_read_error" },
  { name: "a link to itself", make: (path) => Deno.symlinkSync(path, path), code: "file_read_error" },
  { name: "a link out", make: (path) => Deno.symlinkSync("/etc/hostname", path), code: "permission_denied" },
  { name: "a device", make: (path) => Deno.symlinkSync("/dev/zero", path), code: "permission_denied" },
  {
    name: "100 MB",
    make: (path) => {
      Deno.writeTextFileSync(path, "START " + "a".repeat(2_000_000));
      using file = Deno.openSync(path, { write: true });
      file.truncateSync(100 * 1024 * 1024);
    },
    code: "file_truncated",
    shows: "START aaa",
  },
  {
    name: "invalid UTF-8",
    make: (path) => Deno.writeFileSync(path, bytes("a\xff").with(1, 0xff)),
    code: "file_read_error",
  },
  { name: "NUL inside", make: (path) => Deno.writeTextFileSync(path, "a\0b"), code: "file_read_error" },
  { name: "CRLF", make: (path) => Deno.writeTextFileSync(path, "one\r\ntwo\r\n"), shows: "one\ntwo\n", hides: "\r" },
  {
    name: "a byte order mark",
    make: (path) => Deno.writeTextFileSync(path, "\ufeffone"),
    shows: "\n\none\n",
    hides: "\ufeff",
  },
  {
    name: "escape sequences",
    make: (path) => Deno.writeTextFileSync(path, "a\x1b[2Jb\u202ec"),
    shows: "abc",
    hides: "\x1b",
  },
  {
    name: "the marker inside",
    make: (path) => Deno.writeTextFileSync(path, `a${BOUNDARY}b`),
    shows: "sandpiper/stable-prompt-ends",
    hides: BOUNDARY.trim(),
  },
];
for (const { name, make, code, shows, hides } of STATES) {
  Deno.test(`R32 R96 R98 R346 a context file that is ${name} gives a prompt${code ? ` and ${code}` : ""}`, () => {
    const root = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      const path = join(root, "AGENTS.md");
      make(path);
      const contextFiles = gatherContextFiles({ root, enabled: true, canRead: () => true })
        .filter((file) => file.path.startsWith(root));
      const { full, manifest } = compilePrompt(inputs({ contextFiles }), meta());
      const mine = manifest.diagnostics.filter((one) => one.file === path);
      assertEquals(mine.map((one) => one.code), code ? [code] : []);
      for (const one of mine) assert(one.message.length > 20, one.message);
      if (shows) assertStringIncludes(full, shows);
      if (hides) assert(!full.includes(hides));
      assert(full.length < 70_000);
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  });
}

Deno.test("R101 R357 R442 R445 R448 what is gathered is a value: the prompt changes when it is gathered anew", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const path = join(root, "AGENTS.md");
    Deno.writeTextFileSync(path, "first");
    const gather = () => gatherContextFiles({ root, enabled: true, canRead: () => true });
    const contextFiles = gather();
    const compile = (files = contextFiles) => compilePrompt(inputs({ contextFiles: files }), meta());
    const before = compile();
    assertEquals(compile(gather()).manifest.fingerprints, before.manifest.fingerprints);
    const sources = before.manifest.sections.find((section) => section.id === "project_context")?.sources;
    assertEquals(sources?.at(-1)?.path, path);
    Deno.writeTextFileSync(path, "second");
    assertEquals(compile().full, before.full);
    assertStringIncludes(compile(gather()).full, `## ${path}\n\nsecond`);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
