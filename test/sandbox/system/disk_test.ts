import { assertEquals } from "@std/assert";
import { disk, glanceAtDisk, isSurelyOlder } from "../../../src/sandbox/system/disk.ts";
// Loads libc ahead of the first test.
import "../folder.ts";

Deno.test("glanceAtDisk() answers as the disk does, for what is there, what is not, and links", () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${folder}/a/b`, { recursive: true });
    Deno.writeTextFileSync(`${folder}/a/b/file`, "text");
    Deno.symlinkSync(`${folder}/a`, `${folder}/link`);
    Deno.symlinkSync("gone", `${folder}/dangling`);
    Deno.symlinkSync("loop", `${folder}/loop`);
    const view = glanceAtDisk();
    const paths = [
      "",
      "/a",
      "/a/b/file",
      "/a/b/file/x",
      "/link",
      "/link/b/file",
      "/link/no",
      "/dangling",
      "/loop",
      "/no/no",
    ];
    for (const path of [...paths.map((name) => folder + name), "/", "/etc/../etc", "/proc/self/cwd", "relative"]) {
      assertEquals(view.realPath(path), disk.realPath(path), path);
      assertEquals(view.readText(path), disk.readText(path), path);
    }
    for (const path of [folder, `${folder}/link`, `${folder}/a/b/file`, `${folder}/no`]) {
      assertEquals(view.listFolder(path), disk.listFolder(path), path);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("glanceAtDisk() asks the system for what is likely there, with the same answers", () => {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${folder}/a/b`, { recursive: true });
    Deno.symlinkSync(`${folder}/a`, `${folder}/link`);
    const paths = ["/a/b", "/link/b", "/no", "/a/b/no", "/a", "/link"].map((name) => folder + name);
    const view = glanceAtDisk(paths.slice(0, 3));
    for (const path of paths) assertEquals(view.realPath(path), disk.realPath(path), path);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test({
  name: "glanceAtDisk() follows links by their text as the system does, and leaves to it what only it can tell",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const folder = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      Deno.mkdirSync(`${folder}/a/b/c`, { recursive: true });
      Deno.writeTextFileSync(`${folder}/a/file`, "");
      const links: Readonly<Record<string, string>> = {
        "relative": "a/b",
        "absolute": `${folder}/a/file`,
        "up": "../b/c",
        "chain": "relative/c",
        "inner": "a/../a/b",
        "through": "relative/../file",
        "trailing": "a/b/",
        "self": "self",
        "here": ".",
        "gone": "a/no",
        "below": "a/file/x",
        "process": "/proc/self",
      };
      for (const [name, target] of Object.entries(links)) {
        Deno.symlinkSync(target, `${folder}/${name === "up" ? "a/up" : name}`);
      }
      const paths = [...Object.keys(links), "a/up", "a", "a/b/c", "relative/c", "no", "chain/x", "a\0b"];
      const full = paths.map((name) => `${folder}/${name}`);
      const view = glanceAtDisk([...full, "/bin", "/lib64", "/etc/localtime", "/proc/self/cwd", "/no/no"]);
      for (const path of [...full, "/bin", "/lib64", "/etc/localtime", "/proc/self/cwd", "/no/no"]) {
        assertEquals(view.realPath(path), disk.realPath(path), path);
      }
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

for (
  const [name, change] of Object.entries<(folder: string) => void>({
    "a link is led elsewhere": (folder) => {
      Deno.removeSync(`${folder}/link`);
      Deno.symlinkSync("b", `${folder}/link`);
    },
    "a folder becomes a link": (folder) => {
      Deno.renameSync(`${folder}/a`, `${folder}/b/a`);
      Deno.symlinkSync("b/a", `${folder}/a`);
    },
    "a folder on the way becomes a link": (folder) => {
      Deno.renameSync(`${folder}/b`, `${folder}/c`);
      Deno.symlinkSync("c", `${folder}/b`);
    },
    "what a link leads to is gone": (folder) => Deno.removeSync(`${folder}/a`),
    "what was missing is there": (folder) => Deno.mkdirSync(`${folder}/missing`),
    "an empty folder and a link swap their names": (folder) => {
      Deno.removeSync(`${folder}/a`);
      Deno.symlinkSync("b", `${folder}/a`);
    },
  })
) {
  Deno.test({
    name: `glanceAtDisk() sees that likely paths lead elsewhere: ${name}`,
    ignore: Deno.build.os !== "linux",
    fn: () => {
      const folder = Deno.realPathSync(Deno.makeTempDirSync());
      try {
        for (const made of ["a", "b/inner"]) Deno.mkdirSync(`${folder}/${made}`, { recursive: true });
        Deno.symlinkSync("a", `${folder}/link`);
        const paths = ["link", "a", "b/inner", "missing"].map((one) => `${folder}/${one}`);
        const view = glanceAtDisk(paths);
        for (const path of paths) view.realPath(path);
        assertEquals(view.isStill(), true);
        Deno.writeTextFileSync(`${folder}/b/file`, "beside the ways");
        assertEquals(view.isStill(), true);
        change(folder);
        assertEquals(view.isStill(), false);
      } finally {
        Deno.removeSync(folder, { recursive: true });
      }
    },
  });
}

Deno.test({
  name:
    "glanceAtDisk() knows whether what it saw is still so, and of what was changed a moment before it is never sure",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = Deno.realPathSync(Deno.makeTempDirSync());
    const inner = `${folder}/inner`;
    // Beside the folder other tests come and go.
    const look = (): () => boolean => {
      const view = glanceAtDisk([folder]);
      for (const name of ["file", "link", "no/no"]) view.realPath(`${inner}/${name}`);
      return view.isStill;
    };
    const old = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_100));
    try {
      Deno.mkdirSync(inner);
      Deno.mkdirSync(`${folder}/target`);
      Deno.writeTextFileSync(`${inner}/file`, "");
      Deno.symlinkSync("../target", `${inner}/link`);
      // A look that comes late on a busy machine is no look right after a change.
      for (let isLate = true; isLate;) {
        const began = Date.now();
        Deno.utimeSync(inner, 1, 1);
        const isStill = look();
        isLate = Date.now() - began > 90;
        if (!isLate) assertEquals(isStill(), false);
      }
      const changes: Readonly<Record<string, () => void>> = {
        "a new name": () => Deno.mkdirSync(`${inner}/no`),
        "the times set back": () => Deno.utimeSync(inner, 1, 1),
        "another mode": () => Deno.chmodSync(inner, 0o700),
        "what a link leads to": () => Deno.removeSync(`${folder}/target`),
        "another folder of the name": () => {
          Deno.renameSync(inner, `${folder}/old`);
          Deno.mkdirSync(inner);
        },
        "gone": () => Deno.removeSync(inner),
      };
      for (const [what, change] of Object.entries(changes)) {
        await old();
        const isStill = look();
        assertEquals(isStill(), true, `before ${what}`);
        change();
        assertEquals(isStill(), false, what);
      }
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

const CHANGES = [
  { name: "just now", changedMs: 5_000_000.25, now: 5_000_001, wanted: false },
  { name: "some ticks of the kernel's clock ago", changedMs: 5_000_000.25, now: 5_000_101, wanted: true },
  { name: "in this second, by a clock that counts seconds", changedMs: 5_000_000, now: 5_000_999, wanted: false },
  { name: "in another second", changedMs: 5_000_000, now: 5_001_001, wanted: true },
  { name: "in the time to come", changedMs: 5_000_000.25, now: 4_999_000, wanted: false },
] as const;
for (const { name, changedMs, now, wanted } of CHANGES) {
  Deno.test(`isSurelyOlder() says ${wanted ? "yes" : "no"} of a change ${name}`, () => {
    assertEquals(isSurelyOlder(changedMs, now), wanted);
  });
}
