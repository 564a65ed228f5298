import { outputAt, OWN_FILES } from "../helpers/named_files.ts";
import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { UserError } from "../../src/core/error.ts";
import type { PackedFile } from "../../src/core/pack.ts";
import { sha256 as digestOf } from "../../src/core/support/digest.ts";
import { misfitOf, PACK_LIMITS } from "../../src/pack/archive.ts";
import { carriedPack, readPack } from "../../src/pack/carried.ts";
import { holdsPack } from "../../src/pack/carrier.ts";
import { inspectBinary, type ToPack, writeBinary } from "../../src/pack/write_binary.ts";
import { rounds } from "../helpers/rounds.ts";
import { seeded } from "../helpers/seeded.ts";
import { identityOf, processNamespace } from "../../src/sandbox/system/procfs.ts";
import { ownerPrefix, removeAbandoned } from "../../src/sandbox/system/temporary_folder.ts";
import { fakeElf, fakeOther } from "./fake_binary.ts";

const writeAt = (base: string, toPack: Parameters<typeof writeBinary>[1], path: string) =>
  writeBinary(base, toPack, OWN_FILES, outputAt(path));

const encoder = new TextEncoder();
const HOST = { owner: ownerPrefix(), tidy: removeAbandoned };

function file(path: string, text: string): PackedFile & { readonly content: Uint8Array<ArrayBuffer> } {
  const content = encoder.encode(text);
  return { path, bytes: content.length, sha256: digestOf(content), content };
}

const TO_PACK: ToPack = {
  name: "acme",
  isOpen: false,
  settings: { thinking: "low", limits: { maxTurns: 3 } },
  flags: { "read-only": true },
  prompt: ["You are Acme."],
  extensions: ["extensions/guard/guard.ts"],
  files: [
    file("agents/a.md", "an agent"),
    file("extensions/guard/guard.ts", "export default () => {}"),
    file("skills/review/SKILL.md", "a skill"),
    file("skills/review/empty", ""),
  ],
};

function inFolder(work: (folder: string) => void): void {
  const folder = Deno.makeTempDirSync();
  try {
    work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function isRefused(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch (error) {
    if (error instanceof UserError) return true;
    throw error;
  }
}

Deno.test("an archive comes back as it was written, whatever kind of file it lies in, and the same bytes each time", () => {
  inFolder((folder) => {
    for (
      const [base, isTested] of [[fakeElf(), true], [fakeElf("another end"), false], [fakeOther(), false]] as const
    ) {
      const [plain, packed, again] = [join(folder, "plain"), join(folder, "packed"), join(folder, "again")];
      Deno.writeFileSync(plain, base);
      // Neither an end that a build made nor the runtime alone: something is missing from it.
      if (base[0] === 0x7f && !isTested) {
        assertThrows(() => writeAt(plain, TO_PACK, packed), UserError, "damaged");
        assertEquals(holdsPack(plain), undefined);
        Deno.writeFileSync(plain, base.with(base.length - 16, 0)); // what a runtime to come may append
        assertThrows(() => writeAt(plain, TO_PACK, packed), UserError, "no binary of this program");
        assertEquals(holdsPack(plain), false);
        continue;
      }
      assertEquals(holdsPack(plain), false);
      assertEquals(readPack(plain), undefined);
      const written = writeAt(plain, TO_PACK, packed);
      assertEquals(
        writeAt(plain, { ...TO_PACK, settings: { limits: { maxTurns: 3 }, thinking: "low" } }, again),
        written,
      );
      assertEquals(Deno.readFileSync(again), Deno.readFileSync(packed));
      assertEquals(written.untested === undefined, isTested);
      assertEquals(holdsPack(packed), true);
      const { index: { base: told, ...index }, contents, fingerprint } = inspectBinary(packed);
      const { files, ...rest } = TO_PACK;
      assertEquals(index, { ...rest, files: files.map(({ content: _, ...one }) => one) });
      assertEquals(told, { bytes: base.length, sha256: digestOf(base) });
      assertEquals(fingerprint, written.fingerprint);
      for (const { path, content } of files) assertEquals(contents.get(path), content);
      // One bit of anything inside, or of the program, is another fingerprint.
      for (const more of [{ name: "acme2" }, { isOpen: true }, { prompt: [] }, { files: files.slice(0, 3) }]) {
        assertNotEquals(writeAt(plain, { ...TO_PACK, ...more }, again).fingerprint, fingerprint);
      }
      assertThrows(() => writeAt(packed, TO_PACK, again), UserError, "packed into it already");
      assertThrows(() => writeAt(plain, TO_PACK, plain), UserError, "written over");
    }
  });
});

Deno.test("a changed or shortened archive is refused at the start, a changed program when it is inspected", () => {
  inFolder((folder) => {
    const [plain, packed, changed] = [join(folder, "plain"), join(folder, "packed"), join(folder, "changed")];
    Deno.writeFileSync(plain, fakeElf());
    writeAt(plain, TO_PACK, packed);
    const whole = Deno.readFileSync(packed);
    const [start, end] = [fakeElf().length - 300, whole.length - 300];
    assertEquals(readPack(packed)?.index.name, "acme");
    const refuses = (bytes: Uint8Array, what: string): void => {
      Deno.writeFileSync(changed, bytes);
      assert(isRefused(() => inspectBinary(changed)), what);
    };
    const refusesToStart = (bytes: Uint8Array, what: string): void => {
      refuses(bytes, what);
      assert(isRefused(() => readPack(changed)), what);
    };
    for (let at = start; at < end; at++) {
      const bytes = whole.slice();
      bytes[at]! ^= 1 << at % 8;
      refusesToStart(bytes, `byte ${at - start} of ${end - start}`);
    }
    const random = seeded(59);
    for (let round = 0; round < rounds(300); round++) {
      const bytes = whole.slice();
      const [from, length] = [start + random.below(end - start), 1 + random.below(40)];
      const kind = random.below(4);
      const [head, part, rest] = [bytes.slice(0, from), bytes.slice(from, from + length), bytes.slice(from + length)];
      const made = kind === 0
        ? [...head, ...rest] // bytes are missing
        : kind === 1
        ? [...head, ...part, ...part, ...rest] // some stand there twice
        : kind === 2
        ? [...bytes.slice(0, 1 + random.below(bytes.length - 1))] // the end is cut off
        : [...head, ...part.map(() => random.below(256)), ...rest];
      if (made.length === whole.length && made.every((byte, at) => byte === whole[at])) continue;
      // What overlaps the appended part alone is the program's: only inspection compares that.
      const isProgram = kind === 3 && from >= end;
      (isProgram ? refuses : refusesToStart)(Uint8Array.from(made), `round ${round}, kind ${kind}`);
    }
    for (const at of [start - 40, end + 100]) {
      const bytes = whole.slice();
      bytes[at]! ^= 1;
      refuses(bytes, `byte ${at}`);
    }
  });
});

Deno.test("an archive holds no path that leaves it, and none that is another one elsewhere", () => {
  const one = (path: string, bytes = 1): PackedFile => ({ path, bytes, sha256: "0".repeat(64) });
  const { fileBytes, bytes: most } = PACK_LIMITS;
  assertEquals(misfitOf([one("skills/a b/Größe.md"), one("skills/a b/x/y"), one("skills/b/SKILL.md")]), undefined);
  const refused: readonly (readonly [string, readonly PackedFile[]])[] = [
    ["up", [one("skills/../x")]],
    ["here", [one("skills/./x")]],
    ["dots", [one("skills/.../x")]],
    ["absolute", [one("/skills/x")]],
    ["another folder", [one("docs/x")]],
    ["the folder itself", [one("skills")]],
    ["an empty part", [one("skills//x")]],
    ["a backslash", [one("skills/a\\..\\b")]],
    ["a drive", [one("skills/c:x")]],
    ["a control character", [one("skills/a\u001b[2J")]],
    ["a direction", [one("skills/a\u202eb")]],
    ["a dot at the end", [one("skills/a.")]],
    ["not composed", [one("skills/u\u0308")]],
    ["too long", [one(`skills/${"a".repeat(200)}`)]],
    ["too deep", [one(`skills/${"a/".repeat(12)}b`)]],
    ["letter case", [one("skills/A"), one("skills/a")]],
    ["letter case of a folder", [one("skills/A/x"), one("skills/a/y")]],
    ["a file that is a folder", [one("skills/a"), one("skills/a/b")]],
    ["a folder that is a file in another case", [one("skills/A"), one("skills/a/b")]],
    ["twice", [one("skills/a"), one("skills/a")]],
    ["not in order", [one("skills/b"), one("skills/a")]],
    ["a large file", [one("skills/a", fileBytes + 1)]],
    ["much together", Array.from({ length: most / fileBytes + 1 }, (_, at) => one(`skills/${at}`, fileBytes))],
    ["many", Array.from({ length: PACK_LIMITS.files + 1 }, (_, at) => one(`skills/${String(at).padStart(6, "0")}`))],
  ];
  for (const [name, files] of refused) assert(misfitOf(files) !== undefined, name);
});

Deno.test("what is unpacked is compared at each start: changed, more, less and linked files are replaced", () => {
  inFolder((folder) => {
    const [plain, packed, cache] = [join(folder, "plain"), join(folder, "packed"), join(folder, "cache")];
    Deno.writeFileSync(plain, fakeElf());
    const { fingerprint } = writeAt(plain, TO_PACK, packed);
    const start = (): string => carriedPack(packed, () => [() => cache], HOST)?.folder() ?? "";
    const place = start();
    assertMatch(fingerprint, new RegExp(`^${place.slice(cache.length + 1)}`));
    const skill = join(place, "skills/review/SKILL.md");
    assertEquals([Deno.readTextFileSync(skill), (Deno.statSync(skill).mode ?? 0) & 0o777], ["a skill", 0o444]);
    const { ino } = Deno.statSync(skill);
    const attacks: readonly (readonly [string, () => void])[] = [
      ["changed", () => (Deno.chmodSync(skill, 0o644), Deno.writeTextFileSync(skill, "A skill"))],
      ["one more", () => Deno.writeTextFileSync(join(place, "skills/review/more"), "")],
      ["one more folder", () => Deno.mkdirSync(join(place, "skills/evil"))],
      ["one less", () => Deno.removeSync(skill)],
      ["a link", () => {
        Deno.removeSync(skill);
        Deno.writeTextFileSync(join(folder, "same"), "a skill");
        Deno.symlinkSync(join(folder, "same"), skill);
      }],
      ["a linked folder", () => {
        Deno.renameSync(place, join(folder, "moved"));
        Deno.symlinkSync(join(folder, "moved"), place);
      }],
      ["no folder", () => {
        Deno.removeSync(place, { recursive: true });
        Deno.writeTextFileSync(place, "");
      }],
    ];
    assertEquals(start(), place);
    assertEquals(Deno.statSync(skill).ino, ino); // left alone
    // A killed start left a part of it.
    const earlier = (identityOf(Deno.pid)?.start ?? 1) - 1;
    Deno.mkdirSync(`${cache}/sandpiper-${processNamespace()}-${Deno.pid}-${earlier}-part`, { mode: 0o700 });
    for (const [name, attack] of attacks) {
      attack();
      assertEquals(start(), place);
      assertEquals(Deno.lstatSync(skill).isSymlink || Deno.lstatSync(place).isSymlink, false, name);
      assertEquals(Deno.readTextFileSync(skill), "a skill", name);
      assertEquals([...Deno.readDirSync(join(place, "skills"))].length, 1, name);
      assertEquals([...Deno.readDirSync(join(place, "skills/review"))].length, 2, name);
    }
    assertEquals([...Deno.readDirSync(cache)].map(({ name }) => name), [place.slice(cache.length + 1)]);
    assertThrows(
      () => carriedPack(packed, () => [() => "/proc/none", () => undefined], HOST)?.folder(),
      UserError,
      "unpacked",
    );
  });
});
