import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import type { Denial, PermissionAnswer } from "../../../src/core/event.ts";
import { textOf } from "../../../src/core/message.ts";
import type { Policy } from "../../../src/core/policy.ts";
import { errorResult, textResult } from "../../../src/core/tool.ts";
import type { ToolResult } from "../../../src/core/tool_result.ts";
import { openActivePolicy } from "../../../src/engine/tools/active_policy.ts";
import { type ApprovedRun, type DeniedCall, runWithApproval } from "../../../src/engine/tools/approval.ts";
import type { ToolProcesses } from "../../../src/engine/tools/tool_processes.ts";
import { covers } from "../../../src/core/policy.ts";
import { TOOLS } from "../../../tools/mod.ts";
import { until } from "../../helpers/until.ts";
import { makeWorld, worldPolicy } from "../../sandbox/confined_world.ts";

const [READ] = TOOLS;
const CALL = { toolCallId: "c", toolName: "read" };

type Ask = (call: DeniedCall) => PermissionAnswer | Promise<PermissionAnswer>;

interface Session {
  readonly approved: ApprovedRun;
  readonly denial: Denial;
  /** Whether the denial's target can be read now. */
  readonly isAllowed: () => boolean;
  /** Who was asked for, in order: an agent's id, or "main". */
  readonly asked: readonly string[];
  readonly recorded: readonly Denial[];
  readonly run: (signal?: AbortSignal) => Promise<ToolResult>;
}

/** A session whose calls read one file outside of the read scope. */
async function inSession(ask: Ask, work: (session: Session) => Promise<void>): Promise<void> {
  using world = makeWorld();
  const target = `${world.outside}/secret`;
  const denial: Denial = { kind: "read", target, grant: target };
  const open = (policy: Policy): ToolProcesses => ({
    ...{ policy, active: [], known: [], warmSoon: () => {}, prewarm: () => {} },
    run: () =>
      Promise.resolve(
        covers(policy.read, target)
          ? textResult("read")
          : errorResult("Denied", { denial: { kind: "read", target }, toldLines: 1 }),
      ),
    ...{ retire: () => Promise.resolve(), close: () => Promise.resolve() },
  });
  const activePolicy = openActivePolicy({
    first: open(worldPolicy(world, "kernel")),
    open,
    resolve: (grants) => worldPolicy(world, "kernel", { grants }),
  });
  const [asked, recorded]: [string[], Denial[]] = [[], []];
  const approved = runWithApproval(activePolicy, {
    async ask(_denial, call) {
      asked.push(call.agentId ?? "main");
      return await ask(call);
    },
    record: (one) => void recorded.push(one),
  });
  try {
    await work({
      ...{ approved, denial, asked, recorded },
      isAllowed: () => covers(activePolicy.current().policy.read, target),
      run: (signal = new AbortController().signal) =>
        READ ? approved.run(READ, {}, "c", { signal, onUpdate: () => {} }) : Promise.reject(new Error("no tool")),
    });
  } finally {
    await activePolicy.close();
  }
}

const forever = new AbortController().signal;

Deno.test("an agent's refusal counts for that agent alone: every other agent, and the session itself, is asked about", () =>
  inSession(() => "no", async ({ approved, denial, asked, run }) => {
    const askFor = (agentId: string) => approved.askFor(denial, { ...CALL, agentId }, forever);
    for (const agentId of ["a1", "a1", "a2", "a1"]) assertEquals(await askFor(agentId), "no");
    assertEquals(asked, ["a1", "a2"]);
    for (let call = 0; call < 2; call++) assertEquals((await run()).isError, true);
    assertEquals(asked, ["a1", "a2", "main"]);
    approved.beginSession();
    assertEquals(await askFor("a1"), "no");
    assertEquals(asked, ["a1", "a2", "main", "a1"]);
  }));

for (const answer of ["once", "session", "project", "no"] as const) {
  Deno.test(`an answer "${answer}" that comes after an abort grants nothing, and is not remembered`, async () => {
    const ending = new AbortController();
    let isFirst = true;
    const ask = (): PermissionAnswer => {
      if (!isFirst) return "session";
      isFirst = false;
      ending.abort();
      return answer;
    };
    await inSession(ask, async ({ asked, isAllowed, recorded, run }) => {
      const result = await run(ending.signal);
      assertEquals([result.isError, textOf(result.content)], [true, "Denied"]);
      assertEquals([isAllowed(), recorded], [false, []]);
      assertEquals(textOf((await run()).content), "read");
      assertEquals(asked, ["main", "main"]);
    });
    isFirst = true;
    const agentEnding = new AbortController();
    await inSession(() => (agentEnding.abort(), answer), async ({ approved, asked, denial, isAllowed, recorded }) => {
      const call = { ...CALL, agentId: "a1" };
      assertEquals(await approved.askFor(denial, call, agentEnding.signal), "no");
      assertEquals([isAllowed(), recorded], [false, []]);
      assertEquals(await approved.askFor(denial, call, forever), answer);
      assertEquals(asked, ["a1", "a1"]);
    });
  });
}

Deno.test("nobody is asked for a call or an agent that was aborted before the question", () =>
  inSession(() => "session", async ({ approved, asked, denial, isAllowed, run }) => {
    assertEquals((await run(AbortSignal.abort())).isError, true);
    assertEquals(await approved.askFor(denial, { ...CALL, agentId: "a1" }, AbortSignal.abort()), "no");
    assertEquals([asked, isAllowed()], [[], false]);
  }));

Deno.test("one question at a time: what the first answer allows is not asked about again", async () => {
  const question = Promise.withResolvers<PermissionAnswer>();
  await inSession(() => question.promise, async ({ asked, run }) => {
    const calls = [run(), run(), run()];
    question.resolve("session");
    for (const result of await Promise.all(calls)) assertEquals(textOf(result.content), "read");
    assertEquals(asked, ["main"]);
  });
});

for (const answer of ["once", "session", "project"] as const) {
  Deno.test(`an answer "${answer}" that comes after another session began grants nothing in it`, async () => {
    for (const isAgent of [false, true]) {
      let begin = (): void => {};
      const ask = (): PermissionAnswer => (begin(), answer);
      await inSession(ask, async ({ approved, asked, denial, isAllowed, recorded, run }) => {
        begin = approved.beginSession;
        if (isAgent) assertEquals(await approved.askFor(denial, { ...CALL, agentId: "a1" }, forever), "no");
        else assertEquals((await run()).isError, true);
        assertEquals([asked.length, isAllowed(), recorded], [1, false, []]);
      });
    }
  });
}

Deno.test("nobody is asked for a call of a session that was left before its turn came", async () => {
  const question = Promise.withResolvers<PermissionAnswer>();
  await inSession(() => question.promise, async ({ approved, asked, denial, run }) => {
    const first = approved.askFor(denial, { ...CALL, agentId: "a1" }, forever);
    const [second, third] = [run(), approved.askFor(denial, { ...CALL, agentId: "a2" }, forever)];
    await until(() => asked.length === 1);
    approved.beginSession();
    question.resolve("session");
    assertEquals([await first, (await second).isError, await third], ["no", true, "no"]);
    assertEquals(asked, ["a1"]);
  });
});

Deno.test("allow() grants what was denied in this session alone, and the last hundred of it are remembered", () =>
  inSession(() => "no", async ({ approved, denial, isAllowed, run }) => {
    const unknown = await assertRejects(() => approved.allow(denial, "session"), UserError);
    assertStringIncludes(unknown.message, "Cannot allow read");
    assertEquals((await run()).isError, true);
    assertEquals(approved.denials().map((one) => one.denial), [denial]);
    const other = { ...denial, grant: `${denial.grant}-other` };
    await assertRejects(() => approved.allow(other, "session"), UserError);
    // What the session before was denied is not to be had in the next one.
    approved.beginSession();
    assertEquals(approved.denials(), []);
    await assertRejects(() => approved.allow(denial, "session"), UserError);
    assertEquals(isAllowed(), false);
    for (let at = 0; at < 101; at++) {
      const target = `${denial.target}${at}`;
      await approved.askFor({ ...denial, target, grant: target }, CALL, forever);
    }
    const kept = approved.denials().map((one) => one.denial.target.slice(denial.target.length));
    assertEquals([kept.length, kept[0], kept.at(-1)], [100, "1", "100"]);
    assertEquals((await run()).isError, true);
    await approved.allow(denial, "session");
    assertEquals([isAllowed(), approved.denials().some((one) => one.denial.target === denial.target)], [true, false]);
  }));
