import { join } from "@std/path";
import { UserError } from "../../core/error.ts";
import { makeTemporary } from "../../engine/sessions/session_folders.ts";
import { type Config, configure } from "../../config/config.ts";
import type { ModelChoice } from "../../engine/model/model.ts";
import type { Provider } from "../../core/provider.ts";
import { openReplayText } from "../../provider/replay/replay.ts";

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
      "The test passes now:\n\n```js\nexport const add = (a, b) => a + b;\n```\n\n`sandpiper policy` says what my tools may " +
      "touch. This was a recording: nothing left your machine.",
    chunkChars: 6,
  },
];

/** What it says to whatever comes afterwards. */
const OVER = {
  text: "That is all that the demo knows. To work with a model: leave with Ctrl+C twice, then\n\n```sh\nexport " +
    "ANTHROPIC_API_KEY=...\nsandpiper --model anthropic/\n```\n\n`sandpiper models` lists what your keys and local servers " +
    "offer.",
  chunkChars: 6,
};

/** A small project whose test fails, in a temporary folder. */
export interface Demo {
  readonly config: Config;
  readonly choice: ModelChoice;
  readonly message: string;
  readonly remove: () => void;
}

/** The recorded conversation, and the same words for ever after it. */
function demoProvider(): Provider {
  let played = 0;
  return {
    name: "demo",
    model: "demo",
    stream: (request, signal) =>
      openReplayText(JSON.stringify(REPLIES[played++] ?? OVER), "demo").stream(request, signal),
  };
}

/** Makes the demo's project and its recorded conversation. */
export function makeDemo({ invocation, world }: Config): Demo {
  const made = makeTemporary("demo");
  if (made === undefined) {
    throw new UserError({
      what: "Cannot play the demo",
      why: "this process may write nowhere, and its project is a folder of files",
      fix: "Let it write: --allow-write of Deno",
    });
  }
  const { path: folder, remove } = made;
  const project = join(folder, "project");
  Deno.mkdirSync(project);
  Deno.writeTextFileSync(join(project, "add.js"), "export const add = (a, b) => a - b;\n");
  Deno.writeTextFileSync(
    join(project, "test.sh"),
    "grep -q 'a + b' add.js && echo ok || { echo '2 + 2 is not 0'; exit 1; }\n",
  );
  const message = "Make the test pass.";
  const values = { ...invocation.values, cwd: project, "no-session": true };
  return {
    // Whatever is piped in, the task is the recorded one.
    config: configure({ ...invocation, values, words: [message] }, { ...world, stdinIsTerminal: true }),
    choice: { kind: "given", provider: demoProvider(), model: "demo" },
    message,
    remove,
  };
}
