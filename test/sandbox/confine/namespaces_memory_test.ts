import { assertEquals } from "@std/assert";
import { identityOfFile, knownToWork, rememberWorking } from "../../../src/sandbox/confine/namespaces_memory.ts";

Deno.test("knownToWork() holds for the same bwrap only, and never for a file that says something else", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const [memory, bwrap] = [`${folder}/cache/namespaces-work`, `${folder}/bwrap`];
    Deno.writeTextFileSync(bwrap, "one");
    assertEquals(knownToWork(memory, identityOfFile(bwrap)), false);
    rememberWorking(memory, identityOfFile(bwrap));
    assertEquals(knownToWork(memory, identityOfFile(bwrap)), true);
    Deno.writeTextFileSync(bwrap, "another one");
    assertEquals(knownToWork(memory, identityOfFile(bwrap)), false);
    Deno.writeTextFileSync(memory, "yes");
    assertEquals(knownToWork(memory, identityOfFile(bwrap)), false);
    assertEquals(Deno.statSync(memory).mode! & 0o777, 0o600);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("rememberWorking() passes over a cache that cannot be written", () => {
  rememberWorking("/proc/nowhere/namespaces-work", "any");
});
