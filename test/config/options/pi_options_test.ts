import { assertEquals } from "@std/assert";
import { withoutPiOptions } from "../../../src/config/options/pi_options.ts";

const CASES = [
  { name: "pi's client", words: ["--mode", "rpc", "--no-themes"], ours: ["--mode", "rpc"] },
  {
    name: "a session",
    words: ["--mode=rpc", "--session", "/s.jsonl", "--session=x=y"],
    ours: ["--mode=rpc", "--resume", "/s.jsonl", "--resume=x=y"],
  },
  { name: "another mode", words: ["--mode", "json", "--no-themes"], ours: ["--mode", "json", "--no-themes"] },
  { name: "a message", words: ["--mode", "rpc", "--", "--offline"], ours: ["--mode", "rpc", "--", "--offline"] },
  { name: "no options", words: [], ours: [] },
];

for (const { name, words, ours } of CASES) {
  Deno.test(`withoutPiOptions() of ${name}`, () => assertEquals(withoutPiOptions(words), ours));
}
