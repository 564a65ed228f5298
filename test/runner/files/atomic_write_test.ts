import { assertEquals, assertThrows } from "@std/assert";
import { atomicWrite } from "../../../src/runner/files/atomic_write.ts";
import { world } from "../workspace.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

Deno.test("atomicWrite() removes its temporary file when the name cannot be taken over", () => {
  using w = world();
  Deno.mkdirSync(`${w.root}/taken/full`, { recursive: true });
  assertThrows(() => atomicWrite(`${w.root}/taken`, bytes("x"), undefined, "sandpiper-"));
  assertEquals([...Deno.readDirSync(w.root)].map(({ name }) => name), ["taken"]);
});

Deno.test("atomicWrite() writes nothing into a folder that is a link by now", () => {
  using w = world();
  Deno.symlinkSync(w.outside, `${w.root}/d`);
  assertThrows(() => atomicWrite(`${w.root}/d/f`, bytes("x"), undefined, "sandpiper-"), Error, "was replaced");
  assertEquals([...Deno.readDirSync(w.outside)], []);
});

Deno.test("atomicWrite() a reader sees the old content or the new, whole", () => {
  using w = world();
  const path = `${w.root}/f`;
  const old = "a".repeat(3_000_000);
  Deno.writeTextFileSync(path, old);
  const held = Deno.openSync(path);
  atomicWrite(path, bytes("b"), undefined, "sandpiper-");
  const seen = new Uint8Array(4_000_000);
  let length = 0;
  for (let got = held.readSync(seen); got !== null; got = held.readSync(seen.subarray(length))) length += got;
  held.close();
  assertEquals([length, Deno.readTextFileSync(path)], [old.length, "b"]);
});
