import { assertEquals } from "@std/assert";
import { disk } from "../../../src/sandbox/system/disk.ts";
import { folderMode, type Looks, recordLooks, statusOf } from "../../../src/sandbox/system/statx.ts";

const old = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 120));

interface Case {
  readonly name: string;
  readonly look: (folder: string) => unknown;
  readonly change: (folder: string) => void;
  readonly isStill: boolean;
}

const CASES: readonly Case[] = [
  {
    name: "a file that was written with its time set back",
    look: (folder) => statusOf(`${folder}/inner/file`),
    change: (folder) => {
      Deno.writeTextFileSync(`${folder}/inner/file`, "other");
      Deno.utimeSync(`${folder}/inner/file`, 1, 1);
    },
    isStill: false,
  },
  {
    name: "a file that came where nothing was",
    look: (folder) => statusOf(`${folder}/inner/none`),
    change: (folder) => Deno.symlinkSync("/nowhere", `${folder}/inner/none`),
    isStill: false,
  },
  {
    name: "a folder that got a name and lost it again",
    look: (folder) => statusOf(`${folder}/inner`),
    change: (folder) => {
      Deno.mkdirSync(`${folder}/inner/new`);
      Deno.removeSync(`${folder}/inner/new`);
    },
    isStill: false,
  },
  {
    name: "a file that another one of the same content stands for",
    look: (folder) => statusOf(`${folder}/inner/file`),
    change: (folder) => Deno.renameSync(`${folder}/inner/twin`, `${folder}/inner/file`),
    isStill: false,
  },
  {
    name: "a folder on a real path that became a link to where it went",
    look: (folder) => disk.realPath(`${folder}/inner/file`),
    change: (folder) => {
      Deno.renameSync(`${folder}/inner`, `${folder}/moved`);
      Deno.symlinkSync("moved", `${folder}/inner`);
    },
    isStill: false,
  },
  {
    name: "a text that was written anew",
    look: (folder) => disk.readText(`${folder}/inner/file`),
    change: (folder) => Deno.writeTextFileSync(`${folder}/inner/file`, "same"),
    isStill: false,
  },
  {
    name: "a mode that was looked at alone, and changed",
    look: (folder) => folderMode(`${folder}/inner`),
    change: (folder) => Deno.chmodSync(`${folder}/inner`, 0o500),
    isStill: false,
  },
  {
    name: "a mode that was looked at alone, of a folder that got a name",
    look: (folder) => folderMode(`${folder}/inner`),
    change: (folder) => Deno.writeTextFileSync(`${folder}/inner/new`, ""),
    isStill: true,
  },
  {
    name: "a real path beside which a name came",
    look: (folder) => disk.realPath(`${folder}/inner/file`),
    change: (folder) => Deno.writeTextFileSync(`${folder}/inner/new`, ""),
    isStill: true,
  },
];

/** Calls `work` in a folder that was made long enough ago. */
async function inFolder(work: (folder: string) => void): Promise<void> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${folder}/inner`);
    for (const name of ["file", "twin"]) Deno.writeTextFileSync(`${folder}/inner/${name}`, "same");
    Deno.symlinkSync("inner/file", `${folder}/link`);
    await old();
    work(folder);
  } finally {
    Deno.chmodSync(`${folder}/inner`, 0o700);
    Deno.removeSync(folder, { recursive: true });
  }
}

const ignore = Deno.build.os !== "linux";

for (const { name, look, change, isStill } of CASES) {
  Deno.test({
    name: `recordLooks() ${isStill ? "is not disturbed by" : "sees"} ${name}`,
    ignore,
    fn: () =>
      inFolder((folder) => {
        const looks = recordLooks(() => void look(folder));
        assertEquals(looks.areStill(), true);
        change(folder);
        assertEquals(looks.areStill(), isStill);
      }),
  });
}

const UNSURE: Readonly<Record<string, (folder: string) => unknown>> = {
  "what was changed a moment before": (folder) => {
    Deno.writeTextFileSync(`${folder}/inner/file`, "new");
    return statusOf(`${folder}/inner/file`);
  },
  "what was changed between two looks": (folder) => {
    statusOf(`${folder}/inner/file`);
    Deno.removeSync(`${folder}/inner/file`);
    return statusOf(`${folder}/inner/file`);
  },
  "a path that leads elsewhere": (folder) => disk.realPath(`${folder}/link`),
  "a path that leads nowhere": (folder) => disk.realPath(`${folder}/none`),
  "the text of a link's target": (folder) => disk.readText(`${folder}/link`),
  "a folder's names": (folder) => disk.listFolder(`${folder}/inner`),
  "the text of a link": (folder) => disk.readLink?.(`${folder}/link`),
  "the mode of what is no folder": (folder) => folderMode(`${folder}/inner/file`),
};

for (const [name, look] of Object.entries(UNSURE)) {
  Deno.test({
    name: `recordLooks() is never sure of ${name}`,
    ignore,
    fn: () => inFolder((folder) => assertEquals(recordLooks(() => void look(folder)).areStill(), false)),
  });
}

Deno.test({
  name: "recordLooks() records what is looked at in it and nothing else, in one inside another neither",
  ignore,
  fn: () =>
    inFolder((folder) => {
      let inner: Looks | undefined;
      const outer = recordLooks(() => {
        inner = recordLooks(() => void statusOf(`${folder}/inner`));
        statusOf(`${folder}/inner/file`);
      });
      statusOf(`${folder}/inner/twin`);
      Deno.writeTextFileSync(`${folder}/inner/twin`, "");
      assertEquals([outer.areStill(), inner?.areStill()], [true, true]);
      Deno.removeSync(`${folder}/inner/twin`);
      assertEquals([outer.areStill(), inner?.areStill()], [true, false]);
    }),
});
