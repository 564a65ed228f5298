import { OWN_FILES } from "../helpers/named_files.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { type BootstrapPlaces, gatherScripts } from "../../src/context/files/bootstrap_file.ts";
import { gatherContextFiles } from "../../src/context/files/context_files.ts";
import { gatherPersona } from "../../src/context/files/persona_files.ts";
import { gatherSystemFiles } from "../../src/context/files/system_files.ts";
import type { PromptInputs } from "../../src/core/prompt.ts";
import { compilePrompt } from "../../src/prompt/compile.ts";
import { asOrdinaryUser } from "../sandbox/ordinary_user.ts";
import { STATES } from "./file_states.ts";
import { inputs, meta } from "./sample.ts";

/** Every diagnostic of a file says what to do about it. */
const REMEDY = /\b(?:Put|Convert|Copy|Change|Make|Shorten|Remove|Grant|Write|To have one, write)\b/;

for (const { name, make, code, shows, hides, ignore = false } of STATES) {
  Deno.test({
    name: `R32 R96 R98 R346 a context file that is ${name} gives a prompt${code ? ` and ${code}` : ""}`,
    ignore,
  }, () => {
    const root = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      const path = join(root, "AGENTS.md");
      make(path);
      const contextFiles = gatherContextFiles({ root, enabled: true, canRead: () => true })
        .filter((file) => file.path.startsWith(root));
      const { full, manifest } = compilePrompt(inputs({ contextFiles }), meta());
      const mine = manifest.diagnostics.filter((one) => one.file === path);
      assertEquals(mine.map((one) => one.code), code ? [code] : []);
      for (const one of mine) assertMatch(one.message, REMEDY);
      if (shows) assertStringIncludes(full, shows);
      if (hides) assert(!full.includes(hides));
      assert(full.length < 70_000);
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  });
}

/** The other kinds of files that people write: what the disk holds, as the prompt's inputs. */
const KINDS: readonly {
  readonly file: string;
  readonly gather: (places: BootstrapPlaces) => Partial<PromptInputs>;
  /** Diagnostic of a file that is absent or empty. */
  readonly none?: string;
  /** Characters that the whole prompt may have; 25,000 unless told otherwise. */
  readonly most?: number;
}[] = [
  ...["SYSTEM.md", "APPEND_SYSTEM.md"].map((name) => ({
    file: `.sandpiper/${name}`,
    gather: (places: BootstrapPlaces) => {
      const projectFolder = join(places.root, ".sandpiper");
      const { systemOverride, appendSystem } = gatherSystemFiles({
        ...places,
        projectFolder,
        home: "/nonexistent",
        named: OWN_FILES,
      });
      return { appendSystem, ...(systemOverride ? { systemOverride } : {}) };
    },
    most: 105_000,
  })),
  ...["SOUL.md", "IDENTITY.md", "USER.md"].map((file) => ({
    file,
    gather: (places: BootstrapPlaces) => {
      const { persona } = gatherPersona({ ...places, mode: "sections", enabled: true });
      return persona ? { persona } : {};
    },
    none: "missing_file",
  })),
  {
    file: "SCRIPTS.md",
    gather: (places) => {
      const { scripts } = gatherScripts({ ...places, canWrite: () => true, enabled: true });
      return scripts ? { scripts } : {};
    },
  },
];
for (const { file, gather, none, most = 25_000 } of KINDS) {
  for (const { name, make, code, shows, hides, ignore = false } of STATES) {
    const expected = code ?? (name === "absent" || name === "empty" ? none : undefined);
    Deno.test({
      name: `R32 R347 R348 R349 R374 a ${file} that is ${name} gives a prompt${expected ? ` and ${expected}` : ""}`,
      ignore,
    }, () => {
      const root = Deno.realPathSync(Deno.makeTempDirSync());
      try {
        const path = join(root, file);
        Deno.mkdirSync(dirname(path), { recursive: true });
        make(path);
        const changes = gather({ root, trusted: true, canRead: () => true });
        const { full, manifest } = compilePrompt(inputs(changes), meta());
        const mine = manifest.diagnostics.filter((one) => one.file === path);
        assertEquals(mine.map((one) => one.code), expected ? [expected] : []);
        for (const one of mine) assertMatch(one.message, REMEDY);
        if (shows) assertStringIncludes(full, shows.trim());
        if (hides) assert(!full.includes(hides));
        assert(full.length < most);
      } finally {
        Deno.removeSync(root, { recursive: true });
      }
    });
  }
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

asOrdinaryUser("R96 R348 files without permission, as an ordinary user", fromFileUrl(import.meta.url));
