import { assertEquals } from "@std/assert";
import { inOwnName, nameProgram, programName, programTitle } from "../../src/core/version.ts";

/** [what the sources say, what a program with the name acme says] */
const SAID: readonly (readonly [string, string])[] = [
  ["See them with sandpiper agents, or write agents/NAME.md in ~/.sandpiper/agent", "acme agents"],
  [
    'Write sandpiper -p "what", or pipe it: echo "what" | sandpiper -p',
    'acme -p "what", or pipe it: echo "what" | acme -p',
  ],
  ["Did you mean sandpiper help sessions?", "acme help sessions?"],
  ["  sandpiper [options] [message ...]\n  sandpiper <command>", "  acme [options] [message ...]\n  acme <command>"],
  ['  sandpiper "make the tests pass"', '  acme "make'],
  ["sandpiper: a coding agent", "acme: a coding agent"],
  ["name the provider (sandpiper demo needs neither):", "(acme demo needs"],
  ["sandpiper failed", "acme failed"],
];
/** What is no command of the program. */
const KEPT = [
  "~/.sandpiper/agent /tmp/sandpiper-x/y /home/me/sandpiper dir npx sandpiper@latest brew upgrade sandpiper",
  "a plain sandpiper binary; packed with sandpiper 0.1.0; SANDPIPER_HOME; it is no sandpiper that knows packs",
];

Deno.test("inOwnName() gives commands the name of the program that runs, and leaves paths, packages and versions", () => {
  for (const [text] of SAID) assertEquals(inOwnName(text), text);
  assertEquals(programTitle("1.2.3"), "sandpiper 1.2.3");
  nameProgram("acme");
  try {
    assertEquals([programName(), programTitle("1.2.3")], ["acme", "acme (sandpiper 1.2.3)"]);
    for (const [text, part] of SAID) assertEquals(inOwnName(text).includes(part), true, inOwnName(text));
    for (const text of KEPT) assertEquals(inOwnName(text), text);
  } finally {
    nameProgram("sandpiper");
  }
});
