import { assertEquals } from "@std/assert";
import { nearNames } from "../../../src/runner/files/missing_file.ts";

const CASES = [
  { name: "tools.ts", names: ["Tools.ts", "tool.ts", "other.ts"], near: ["Tools.ts", "tool.ts"] },
  { name: "caf\u00e9", names: ["cafe\u0301"], near: ["cafe\u0301"] },
  { name: "a", names: ["b", "c"], near: ["b", "c"] },
  { name: "configuration.json", names: ["config.json"], near: [] },
  { name: "x".repeat(300), names: ["x".repeat(299)], near: [] },
] as const;

for (const { name, names, near } of CASES) {
  Deno.test(`nearNames() ${name.slice(0, 30)} finds ${JSON.stringify(near)}`, () => {
    assertEquals(nearNames(name, names), [...near]);
  });
}
