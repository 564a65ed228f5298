// A host of its own permissions, as narrow as the test starts it, with the runner in a worker. Prints what each call said.
import { messageOf } from "../../../src/core/error.ts";
import { textOf } from "../../../src/core/message.ts";
import { openRunner } from "../../helpers/open_runner.ts";
import { policyFor } from "../../runner/world.ts";

const { root, outside, read, script, calls, deadlineMs = 60_000 } = JSON.parse(Deno.args[0] ?? "");
const policy = policyFor(root, { sandbox: "permissions", ...(read ? { read: { all: false, list: read } } : {}) });
const self = { program: "/nowhere", args: [], env: {}, readPaths: [], standalone: false };
const signal = new AbortController().signal;
try {
  const runner = openRunner(policy, self, new URL(script, import.meta.url), { checkPaths: false, deadlineMs });
  const said: string[] = [];
  for (const [name, args] of calls) {
    said.push(
      textOf((await runner.call({ name, args: { outside, ...args } }, { signal, onUpdate: () => {} })).content),
    );
  }
  await runner.close();
  console.log(JSON.stringify({ pid: runner.pid ?? null, said }));
} catch (error) {
  console.log(JSON.stringify({ refused: messageOf(error) }));
}
// As the program does: a worker that spins could hold up a natural end.
Deno.exit(0);
