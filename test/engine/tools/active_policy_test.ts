import { assertEquals, assertRejects } from "@std/assert";
import { backgroundCommands } from "../../../src/engine/tools/background_commands.ts";
import { offeredIn, openActivePolicy } from "../../../src/engine/tools/active_policy.ts";
import { openToolProcesses, type ToolProcesses } from "../../../src/engine/tools/tool_processes.ts";
import { UserError } from "../../../src/core/error.ts";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { textOf } from "../../../src/core/message.ts";
import type { Policy } from "../../../src/core/policy.ts";
import { errorResult } from "../../../src/core/tool.ts";
import type { ToolResult } from "../../../src/core/tool_result.ts";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import type { Grants, PolicyRequest } from "../../../src/sandbox/policy/policy.ts";
import { TOOLS, toolsUnder } from "../../../tools/mod.ts";
import { makeWorld, type World, worldPolicy } from "../../sandbox/confined_world.ts";
import { CONFINED } from "../../sandbox/shell_fixture.ts";

const OPTIONS = { signal: new AbortController().signal, onUpdate: () => {} };
const [READ] = TOOLS;

/** Processes with a runner that answers every call with this denial. */
function liar(policy: Policy, denial: JsonValue): ToolProcesses {
  const nothing = (): Promise<void> => Promise.resolve();
  const run = (): Promise<ToolResult> => Promise.resolve(errorResult("Denied", { denial, toldLines: 1 }));
  return { policy, active: [], known: [], run, warmSoon: () => {}, prewarm: () => {}, retire: nothing, close: nothing };
}

const resolveIn = (world: World) => (grants: Grants): Policy => worldPolicy(world, "kernel", { grants });

const SECRET = "it may hold secrets, and no grant opens it";
const LIES: readonly (readonly [lie: string, denial: (world: World) => JsonObject, why?: string])[] = [
  ["of a secret", ({ home }) => ({ kind: "read", target: `${home}/.ssh/id`, grant: "/srv" }), SECRET],
  ["of a secret behind a link", ({ root }) => ({ kind: "read", target: `${root}/keys` }), SECRET],
  [
    "of what is protected",
    ({ root }) => ({ kind: "write", target: `${root}/.envrc` }),
    "it is protected, and no grant opens it",
  ],
  ["of what may be read anyway", ({ root }) => ({ kind: "read", target: `${root}/a` })],
  ["without a target", () => ({ kind: "read", grant: "*" })],
];

for (const [lie, denial, why] of LIES) {
  Deno.test(`openActivePolicy() offers nothing for a runner's denial ${lie}, and says why R471 R480`, async () => {
    using world = makeWorld();
    Deno.mkdirSync(`${world.home}/.ssh`);
    Deno.symlinkSync(`${world.home}/.ssh`, `${world.root}/keys`);
    const first = liar(worldPolicy(world, "kernel"), denial(world));
    const activePolicy = openActivePolicy({ first, open: () => first, resolve: resolveIn(world) });
    const { grant: _claimed, ...claim } = denial(world);
    // What the policy does not confirm is seen in the text alone, all of which is shown then.
    const told = why === undefined ? undefined : { toldLines: 1, denials: [{ ...claim, why }] };
    assertEquals(READ && await activePolicy.run(READ, {}, OPTIONS), errorResult("Denied", told));
  });
}

Deno.test("openActivePolicy() lists what is asked about besides all else that was met R480", async () => {
  using world = makeWorld();
  const denial = { kind: "read", target: `${world.outside}/secret` };
  const denials = Array.from({ length: 20 }, (_, at) => ({ kind: "read", target: `${world.home}/.ssh/${at}` }));
  const first = {
    ...liar(worldPolicy(world, "kernel"), denial),
    run: () => Promise.resolve(errorResult("Denied", { denial, denials })),
  };
  const activePolicy = openActivePolicy({ first, open: () => first, resolve: resolveIn(world) });
  const result = READ && await activePolicy.run(READ, {}, OPTIONS);
  const listed = claimsOf(result?.details?.["denials"]);
  assertEquals(listed, [denial.target, ...denials.map(({ target }) => target)]);
});

/** The targets of a list of denials. */
function claimsOf(list: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(list) ? list.map(({ target }) => target) : [];
}

Deno.test("openActivePolicy() takes no grant from a runner, and shows the real place R480", async () => {
  using world = makeWorld();
  Deno.symlinkSync(world.outside, `${world.root}/harmless`);
  const denial = { kind: "read", target: `${world.root}/harmless/secret`, grant: "*" };
  const first = liar(worldPolicy(world, "kernel"), denial);
  const opened: Policy[] = [];
  const open = (policy: Policy): ToolProcesses => {
    opened.push(policy);
    return liar(policy, denial);
  };
  const activePolicy = openActivePolicy({ first, open, resolve: resolveIn(world) });
  const offered = READ && offeredIn(await activePolicy.run(READ, {}, OPTIONS));
  const target = `${world.outside}/secret`;
  assertEquals(offered, { kind: "read", target, grant: target });
  // Whoever answers for something else than was offered gets nothing.
  for (const other of [{ kind: "read", target, grant: "*" }, { kind: "read", target, grant: world.base }] as const) {
    await assertRejects(() => activePolicy.grant(other), UserError);
  }
  assertEquals([opened, activePolicy.granted()], [[], []]);
  if (offered) await activePolicy.grant(offered);
  assertEquals([opened.map(({ read }) => read.list.includes(target)), activePolicy.granted()], [[true], [offered]]);
  await activePolicy.close();
  if (offered) await assertRejects(() => activePolicy.grant({ ...offered, target: "/x" }), UserError);
});

Deno.test("openActivePolicy() offers nothing that the project takes away again, and no list where none can hold R465", async () => {
  using world = makeWorld();
  const claim = { kind: "read", target: `${world.outside}/secret` } as const;
  const asked = async (policy: Policy, resolve: (grants: Grants) => Policy): Promise<unknown> => {
    const first = liar(policy, claim);
    const activePolicy = openActivePolicy({ first, open: () => first, resolve });
    return READ && offeredIn(await activePolicy.run(READ, {}, OPTIONS))?.grant;
  };
  const policy = worldPolicy(world, "kernel");
  assertEquals(await asked(policy, resolveIn(world)), claim.target);
  const project = { read: ["."] };
  assertEquals(await asked(policy, (grants) => worldPolicy(world, "kernel", { grants, project })), undefined);
});

Deno.test("openActivePolicy() offers no folder of which a project or a pack leaves one file alone", async () => {
  using world = makeWorld();
  Deno.writeTextFileSync(`${world.outside}/one`, "");
  const one = { write: [".", `${world.outside}/one`] };
  const folder = { write: [".", world.outside] };
  const offered = async (bound: Partial<PolicyRequest>): Promise<unknown> => {
    const first = liar(worldPolicy(world, "kernel"), { kind: "write", target: `${world.outside}/one` });
    const resolve = (grants: Grants) => worldPolicy(world, "kernel", { grants, ...bound });
    const activePolicy = openActivePolicy({ first, open: () => first, resolve });
    return READ && offeredIn(await activePolicy.run(READ, {}, OPTIONS))?.grant;
  };
  const pack = { name: "acme", readOnly: false };
  assertEquals(await offered({ project: one }), undefined);
  assertEquals(await offered({ ceiling: { ...one, ...pack } }), undefined);
  assertEquals(await offered({ project: folder }), world.outside);
  assertEquals(await offered({ project: {} }), world.outside);
});

for (const level of CONFINED.filter((level) => level === "kernel")) {
  Deno.test(`openActivePolicy() at ${level} opens a place to read and bash alike, and closes it after once R477`, async () => {
    using world = makeWorld();
    const policy = worldPolicy(world, level);
    const tools = toolsUnder(policy);
    const ground = { self: thisProgram(), cache: undefined, numbered: backgroundCommands().numbered };
    const open = (wider: Policy): ToolProcesses => openToolProcesses(wider, { active: tools, known: tools }, ground);
    const activePolicy = openActivePolicy({ first: open(policy), open, resolve: resolveIn(world) });
    const path = `${world.outside}/secret`;
    const calls = [["read", { path }], ["bash", { command: `cat ${path}` }]] as const;
    const all = async (): Promise<readonly ToolResult[]> => {
      const results: ToolResult[] = [];
      for (const [name, args] of calls) {
        const tool = tools.find((one) => one.name === name);
        if (tool) results.push(await activePolicy.run(tool, args, OPTIONS));
      }
      return results;
    };
    const denial = { kind: "read", target: path, grant: path } as const;
    const reach = (results: readonly ToolResult[]): readonly boolean[] =>
      results.map(({ content }) => textOf(content).includes("outside-secret"));
    try {
      const before = await all();
      assertEquals([reach(before), before.map(offeredIn)], [[false, false], [denial, denial]]);
      const bash = tools.find(({ name }) => name === "bash");
      const once = bash && await activePolicy.runOnce(denial, bash, calls[1][1], OPTIONS);
      assertEquals([once && reach([once]), reach(await all())], [[true], [false, false]]);
      await activePolicy.grant(denial);
      assertEquals(reach(await all()), [true, true]);
    } finally {
      await activePolicy.close();
    }
  });
}
