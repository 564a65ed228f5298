import { assertEquals } from "@std/assert";
import { knownToWork, rememberWorking } from "../../src/sandbox/bwrap_memory.ts";

Deno.test("knownToWork() holds for the same bwrap only, and never for a file that says something else", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const [memory, bwrap] = [`${folder}/cache/bwrap-works`, `${folder}/bwrap`];
    Deno.writeTextFileSync(bwrap, "one");
    assertEquals(knownToWork(memory, bwrap), false);
    rememberWorking(memory, bwrap);
    assertEquals(knownToWork(memory, bwrap), true);
    Deno.writeTextFileSync(bwrap, "another one");
    assertEquals(knownToWork(memory, bwrap), false);
    Deno.writeTextFileSync(memory, "yes");
    assertEquals(knownToWork(memory, bwrap), false);
    assertEquals(Deno.statSync(memory).mode! & 0o777, 0o600);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("rememberWorking() passes over a cache that cannot be written", () => {
  rememberWorking("/proc/nowhere/bwrap-works", "/bin/sh");
});
