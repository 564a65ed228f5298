// A process of its own, because the first compile of a process is what a user waits for. Prints milliseconds as JSON.
// Built as the product is (compile_bench.ts). Arguments: the workspace, the user's folder.
import { gatherContextFiles } from "../../../src/context/files/context_files.ts";
import { discoverSkills, listedSkills } from "../../../src/context/skills/skills.ts";
import type { PromptInputs } from "../../../src/core/prompt.ts";
import type { ToolDefinition } from "../../../src/core/provider.ts";
import { compilePrompt } from "../../../src/prompt/compile.ts";

const TOOLS = 30;
const WARM_COMPILES = 200;

const [root = "", userFolder = ""] = Deno.args;
const tools: readonly ToolDefinition[] = Array.from({ length: TOOLS }, (_, i) => ({
  name: `tool_${i}`,
  description: `Does the thing number ${i} to a file and reports what has changed in it`,
  parameters: { type: "object", properties: { path: { type: "string" }, count: { type: "integer" } } },
}));

measure();

async function measure(): Promise<void> {
  const started = performance.now();
  const first = compile(await gather());
  const coldMs = performance.now() - started;
  const inputs = await gather();
  const times = Array.from({ length: WARM_COMPILES }, () => {
    const before = performance.now();
    compile(inputs);
    return performance.now() - before;
  });
  const late = times.slice(WARM_COMPILES / 2).sort((a, b) => a - b);
  console.log(JSON.stringify({
    coldMs,
    warmMs: late[late.length >> 1],
    found: [inputs.contextFiles.length, inputs.skills.length, inputs.tools.length],
    chars: first.full.length,
  }));
}

async function gather(): Promise<PromptInputs> {
  const contextFiles = gatherContextFiles({ root, userFolder, enabled: true, canRead: () => true });
  const found = await discoverSkills({ root, userFolder, explicit: [], trusted: true, enabled: true });
  return {
    profile: "full",
    identity: "assistant",
    appendSystem: [],
    tools: tools.map(({ name, description }) => ({
      name,
      snippet: description,
      guidelines: [`Use ${name} for its own thing only`],
      origin: "extension",
    })),
    contextFiles,
    skills: listedSkills(found.skills),
    docs: [],
    environmentPolicy: ["Workspace: the folder of the project", "Network: none"],
    rules: [],
    runtime: { dateTime: "Saturday, March 7, 2026 at 08:55:05 AM CST", cwd: root, os: "linux" },
  };
}

function compile(inputs: PromptInputs): ReturnType<typeof compilePrompt> {
  const history = { decision: "full" } as const;
  return compilePrompt(inputs, { trigger: "startup", round: 1, tools, policy: {}, history, hooks: [] });
}
