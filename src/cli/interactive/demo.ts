import { join } from "@std/path";
import { configure } from "../config.ts";
import type { Config } from "../config.ts";

/** What the demo's model says. */
const REPLIES = [
  {
    text: "I'll look at the code and run its test first.",
    calls: [
      { name: "read", args: { path: "add.js" } },
      { name: "bash", args: { command: "sh test.sh" } },
    ],
    chunkChars: 6,
  },
  {
    text: "`add` subtracts. I'll mend that and run the test again.",
    calls: [
      { name: "edit", args: { path: "add.js", edits: [{ oldText: "a - b", newText: "a + b" }] } },
      { name: "bash", args: { command: "sh test.sh" } },
    ],
    chunkChars: 6,
  },
  {
    text:
      "The test passes now:\n\n```js\nexport const add = (a, b) => a + b;\n```\n\nThe **sandbox** below says what my tools may " +
      "touch. This was a recording: nothing left your machine.",
    chunkChars: 6,
  },
];

/** A small project whose test fails, in a temporary folder. */
export interface Demo {
  readonly config: Config;
  readonly cassette: string;
  readonly message: string;
  readonly remove: () => void;
}

/** Makes the demo's project and its recorded conversation. */
export function makeDemo({ invocation, world }: Config): Demo {
  const folder = Deno.makeTempDirSync({ prefix: "sandpiper-demo-" });
  const project = join(folder, "project");
  Deno.mkdirSync(project);
  Deno.writeTextFileSync(join(project, "add.js"), "export const add = (a, b) => a - b;\n");
  Deno.writeTextFileSync(
    join(project, "test.sh"),
    "grep -q 'a + b' add.js && echo ok || { echo '2 + 2 is not 0'; exit 1; }\n",
  );
  const cassette = join(folder, "replies.jsonl");
  Deno.writeTextFileSync(cassette, REPLIES.map((reply) => JSON.stringify(reply) + "\n").join(""));
  const values = { ...invocation.values, cwd: project, "no-session": true };
  return {
    config: configure({ ...invocation, values }, world),
    cassette,
    message: "Make the test pass.",
    remove: () => Deno.removeSync(folder, { recursive: true }),
  };
}
