// Runs file operations in a process whose Deno permissions are the scope, with the product's own checks switched off.
import { textOf } from "../../src/core/message.ts";
import { openFiles } from "../../src/runner/files/files.ts";
import { edit } from "../../tools/edit.ts";
import { read } from "../../tools/read.ts";
import { write } from "../../tools/write.ts";

const { policy, checkPaths, path } = JSON.parse(Deno.args[0] ?? "");
const context = {
  policy,
  files: openFiles(policy, { checkPaths }),
  signal: new AbortController().signal,
  update: () => {},
};
const attempts = {
  read: () => read.run({ path }, context),
  edit: () => edit.run({ path, edits: [{ oldText: "text", newText: "other" }] }, context),
  write: () => write.run({ path, content: "text" }, context),
};
const outcomes: Record<string, string> = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    outcomes[name] = textOf((await attempt()).content);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.name : "none";
    outcomes[name] = `${cause}: ${error instanceof Error ? error.message : error}`;
  }
}
console.log(JSON.stringify(outcomes));
