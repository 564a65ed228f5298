import { assert, assertEquals } from "@std/assert";
import { type Baseline, openBaseline } from "../../src/changes/baseline.ts";
import type { Folder } from "../../src/changes/table.ts";

function folder(name: string, flags: { isKnown: boolean; isFresh: boolean }, parent?: Folder): Folder {
  return { name, parent, bytes: new TextEncoder().encode(`records of ${name}`), inner: [], lookedMs: 1.5, ...flags };
}

function sample(): Baseline {
  const top = folder("", { isKnown: true, isFresh: false });
  const outer = folder("ä\xff", { isKnown: false, isFresh: true }, top);
  outer.inner = [
    folder("x", { isKnown: true, isFresh: true }, outer),
    folder("y", { isKnown: false, isFresh: false }, outer),
  ];
  top.inner = [outer, folder("z", { isKnown: true, isFresh: false }, top)];
  const other = folder("", { isKnown: true, isFresh: true });
  return {
    tops: [{ root: "/work/ä", top }, { root: "/other", top: other }],
    objects: new Uint8Array([1, 0, 255]),
    contents: 7,
    records: 3,
  };
}

function withFile(work: (path: string) => void): void {
  const directory = Deno.makeTempDirSync();
  try {
    work(`${directory}/baseline`);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

Deno.test("openBaseline() reads what an earlier process wrote", () =>
  withFile((path) => {
    assertEquals(openBaseline(path, () => 7).interrupted(), undefined);
    openBaseline(path, () => 7).write(sample());
    assertEquals(openBaseline(path, () => 7).interrupted(), sample());
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
    openBaseline(path, () => 7).write({ ...sample(), records: 4 });
    const again = openBaseline(path, () => 7);
    assertEquals(again.interrupted()?.records, 4);
    again.remove();
    again.remove();
    assertEquals(openBaseline(path, () => 7).interrupted(), undefined);
  }));

Deno.test("openBaseline() has nothing of a file that is cut off, is something else, or names contents that are lost", () =>
  withFile((path) => {
    openBaseline(path, () => 7).write(sample());
    assertEquals(openBaseline(path, () => 6).interrupted(), undefined);
    const whole = Deno.readFileSync(path);
    for (let length = 0; length < whole.length; length++) {
      Deno.writeFileSync(path, whole.subarray(0, length));
      assertEquals(openBaseline(path, () => 7).interrupted(), undefined, `${length} bytes`);
    }
    const other = whole.slice();
    other[8] = 0x54;
    Deno.writeFileSync(path, other);
    assertEquals(openBaseline(path, () => 7).interrupted(), undefined);
    Deno.writeFileSync(path, whole);
    assert(openBaseline(path, () => 8).interrupted());
  }));
