// A program that may read less than the policy it is given, which foresees a call and then makes it. Prints what that said.
import { backgroundCommands } from "../../src/engine/tools/background_commands.ts";
import { openToolProcesses } from "../../src/engine/tools/tool_processes.ts";
import { messageOf } from "../../src/core/error.ts";
import { textOf } from "../../src/core/message.ts";
import type { Policy } from "../../src/core/policy.ts";
import { TOOLS } from "../../tools/mod.ts";

const policy: Policy = JSON.parse(Deno.args[0] ?? ""); // the test wrote it
const self = { program: "", args: [], env: {}, readPaths: [], standalone: false };
// Off at the start, so that nothing has been tried before.
const tools = { active: [], known: TOOLS };
const processes = openToolProcesses(policy, tools, { self, cache: undefined, numbered: backgroundCommands().numbered });
const read = TOOLS.find(({ name }) => name === "read");
if (read) {
  processes.prewarm("read");
  const options = { signal: new AbortController().signal, onUpdate: () => {} };
  console.log(await processes.run(read, { path: "a.txt" }, options).then(({ content }) => textOf(content), messageOf));
}
await processes.close();
