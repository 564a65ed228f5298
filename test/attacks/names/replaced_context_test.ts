import { assert, assertEquals, assertThrows } from "@std/assert";
import { readSource } from "../../../src/hooks/code/source_files.ts";
import { gatherContextFiles } from "../../../src/context/files/context_files.ts";
import { gatherScripts } from "../../../src/context/files/bootstrap_file.ts";
import { readSkill, readSkillBody } from "../../../src/context/skills/file.ts";
import { discoverTemplates } from "../../../src/context/templates/templates.ts";
import type { NamedFiles } from "../../../src/core/named_files.ts";
import { createNamedFiles } from "../../../src/sandbox/names/named_files.ts";

// A command that runs in the background replaces a directory by a link at the moment between the check of a path and its use.

const KEY = "PRIVATE-KEY";

/** A repository with files behind links; `swap` makes their directory a link to the home, which has files of the same names. */
async function inPlace(
  work: (place: { readonly ws: string; readonly files: NamedFiles; readonly swap: () => void }) => unknown,
): Promise<void> {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  const [ws, home] = [`${top}/ws`, `${top}/home`];
  try {
    for (const folder of [`${ws}/.git`, `${ws}/s/text`, `${ws}/t/text`, `${ws}/text`, `${home}/text`]) {
      Deno.mkdirSync(folder, { recursive: true });
    }
    for (const folder of [`${ws}/text`, `${ws}/s/text`, `${ws}/t/text`, `${home}/text`]) {
      const text = folder.startsWith(home) ? KEY : "inside";
      Deno.writeTextFileSync(`${folder}/key`, `---\nname: s\ndescription: ${text}\n---\n${text}\n`);
    }
    Deno.symlinkSync("text/key", `${ws}/AGENTS.md`);
    Deno.symlinkSync("text/key", `${ws}/SCRIPTS.md`);
    Deno.symlinkSync("text/key", `${ws}/s/SKILL.md`);
    Deno.symlinkSync("text/key", `${ws}/t/look.md`);
    const swap = (): void => {
      for (const folder of [ws, `${ws}/s`, `${ws}/t`]) {
        if (Deno.lstatSync(`${folder}/text`).isSymlink) continue;
        Deno.renameSync(`${folder}/text`, `${folder}/aside`);
        Deno.symlinkSync(`${home}/text`, `${folder}/text`);
      }
    };
    await work({ ws, files: createNamedFiles({ roots: [ws], whyDenied: () => undefined }), swap });
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}

Deno.test("a context file and a bootstrap file are read where their link was checked, or not at all", async () => {
  for (const read of [gatherContextFiles, gatherScripts]) {
    await inPlace(({ ws, files, swap }) => {
      const canRead = (path: string): boolean => {
        if (path === `${ws}/text/key`) swap();
        return true;
      };
      const found = read({ root: ws, enabled: true, canRead, canWrite: () => false, trusted: true, files });
      assert(!JSON.stringify(found).includes(KEY), JSON.stringify(found));
      assert(JSON.stringify(found).includes("read_error"), JSON.stringify(found));
    });
  }
});

Deno.test("a template is read where its link was checked, or not at all", async () => {
  for (const isSwapped of [false, true]) {
    await inPlace(async ({ ws, files, swap }) => {
      const linkProblem = (path: string): undefined => {
        if (isSwapped && path.endsWith("look.md")) swap();
      };
      const places = { root: ws, trusted: true, explicit: [`${ws}/t`], enabled: true };
      const found = await discoverTemplates({ ...places, linkProblem, files });
      assert(!JSON.stringify(found).includes(KEY), JSON.stringify(found));
      assertEquals(found.templates.length, isSwapped ? 0 : 1);
    });
  }
});

Deno.test("a skill is read where its link was checked, or not at all", async () => {
  for (const isSwapped of [false, true]) {
    await inPlace(async ({ ws, files, swap }) => {
      const swapped: NamedFiles = {
        ...files,
        find(...asked) {
          if (isSwapped) swap();
          return files.find(...asked);
        },
      };
      const path = `${ws}/s/SKILL.md`;
      const seen = Deno.lstatSync(path);
      const body = readSkillBody(path, swapped);
      assertEquals("text" in body, !isSwapped, JSON.stringify(body));
      const head = await readSkill(path, seen, swapped);
      assertEquals("head" in head, !isSwapped, JSON.stringify(head));
      assert(!JSON.stringify([body, head]).includes(KEY));
    });
  }
});

Deno.test("the source of an extension is read where it was found, or not at all", async () => {
  await inPlace(({ ws, files, swap }) => {
    Deno.writeTextFileSync(`${ws}/text/index.ts`, 'import "./key.ts";\n');
    Deno.renameSync(`${ws}/text/key`, `${ws}/text/key.ts`);
    Deno.writeTextFileSync(`${ws}/../home/text/key.ts`, KEY);
    assertEquals(readSource(`${ws}/text/index.ts`, files).files.length, 2);
    let finds = 0;
    const swapped: NamedFiles = {
      ...files,
      find(...asked) {
        const found = files.find(...asked);
        // The entry is read, and what it imports was found.
        if (++finds === 2) swap();
        return found;
      },
    };
    assertThrows(() => readSource(`${ws}/text/index.ts`, swapped));
  });
});
