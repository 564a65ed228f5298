import type { CompiledRound, RoundRequest } from "../agent/deps.ts";
import { formatDateTime } from "../context/date_time.ts";
import { gatherRuntime } from "../context/runtime_facts.ts";
import type { CompiledPrompt, CompileTrigger, Manifest } from "../core/compiled_prompt.ts";
import type { Denial } from "../core/event.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { type AgentMessage, type CustomMessage, textOf } from "../core/message.ts";
import type { Policy } from "../core/policy.ts";
import type { ToolDefinition } from "../core/provider.ts";
import type { PromptInputs } from "../core/prompt.ts";
import type { SessionStore } from "../core/session.ts";
import { unlessAborted } from "../core/support/sleep.ts";
import {
  compileOverride,
  compileRound,
  compileStable,
  type PromptOverride,
  type StablePart,
} from "../prompt/compile.ts";
import type { PromptBuilder, ToolRegistry } from "../prompt/prompt_builder.ts";
import { runtimeMetadataMessage } from "../prompt/text/runtime_metadata.ts";
import { describePolicy, policyRecord } from "../sandbox/policy/describe.ts";
import { lastCustom } from "../session/tree.ts";
import type { Conversation } from "./conversation.ts";
import type { EngineCore } from "./parts.ts";
import type { TurnSkills } from "./prompt/inputs.ts";
import type { PromptBase } from "./prompt/prompt_sources.ts";
import { type KnownTool, promptTool } from "./tools/toolset.ts";

/** The clock and what was read with it; kept with the session, so that a resumed one sends the same bytes (K7). */
export interface RuntimeReading {
  readonly runtime: PromptInputs["runtime"];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A policy, and what of it a person granted on the way. */
export interface GrantedPolicy {
  readonly policy: Policy;
  readonly granted: readonly Denial[];
}

/** The system prompt of a session: compiled once, and again when something that it is made from changed. */
export interface PromptState {
  readonly base: () => PromptBase;
  /**
   * Called for every provider round; equal rounds give equal bytes between two rebuilds. `messages`: those of the request.
   * `todo`: the model's list, where no message of the request has it.
   */
  readonly compile: (
    round: RoundRequest,
    messages: readonly AgentMessage[],
    todo?: PromptInputs["todo"],
  ) => CompiledRound;
  /** As the first round of the next prompt would have it. */
  readonly peek: () => CompiledPrompt;
  /** Takes what was read anew from disk. */
  readonly takeBase: (base: PromptBase, trigger: CompileTrigger) => void;
  /** Takes other active tools. `inRun`: the clock stays, and so does every byte that the tools do not change. */
  readonly takeTools: (tools: readonly KnownTool[], trigger: CompileTrigger, inRun?: boolean) => void;
  /** The tools that requests offer. */
  readonly tools: () => readonly KnownTool[];
  /**
   * Takes a wider or narrower policy and the tools that work under it. `held`: what holds in its place until a plan is
   * accepted; the stable half stays that of the policy that comes back.
   */
  readonly takePolicy: (policy: GrantedPolicy, tools: readonly KnownTool[], held?: GrantedPolicy) => void;
  readonly reading: () => RuntimeReading;
  /** Goes back to what a resumed session was started with. */
  readonly takeReading: (reading: RuntimeReading) => void;
  /** A new user prompt with its skills: what earlier ones added is gone (R184). `request`: the messages before it. */
  readonly startPrompt: (skills: TurnSkills, request?: readonly AgentMessage[]) => void;
  /** What hooks made of the prompt at hand; undefined goes back to the base (R183). */
  readonly setOverride: (override: PromptOverride | undefined) => void;
  /** The active tools, for whoever writes a prompt of their own (R54). */
  readonly registry: () => ToolRegistry;
  /** What became of the history in the next request; noted in its manifest (R322). */
  readonly noteHistory: (history: Manifest["history"]) => void;
}

/** Compiles the stable half; what is dynamic is added round by round. */
export function createPromptState(
  first: PromptBase,
  firstTools: readonly KnownTool[],
  firstPolicy: Policy,
): PromptState {
  let base = first;
  let tools = firstTools;
  let policy = firstPolicy;
  let granted: readonly Denial[] = [];
  let held: GrantedPolicy | undefined;
  let reading: RuntimeReading = { runtime: base.inputs.runtime, at: Date.now() };
  let inputs: PromptInputs;
  let stable: StablePart;
  let record: JsonObject;
  /** One array for many rounds, by which the manifest knows them again. */
  let definitions: readonly ToolDefinition[] | undefined;
  let trigger: CompileTrigger | undefined;
  let turnSkills: TurnSkills = () => [];
  /** The messages of the last request. */
  let request: readonly AgentMessage[] = [];
  let override: PromptOverride | undefined;
  let history: Manifest["history"] = { decision: "full" };
  /** What `peek` returned last, while nothing that it is made of has changed. */
  let peeked: { readonly prompt: CompiledPrompt; readonly messages: number } | undefined;

  const compileBase = (why: CompileTrigger): void => {
    peeked = undefined;
    inputs = {
      ...base.inputs,
      // Late ones came in the middle of a session: a line for each would change all that stands behind it.
      tools: tools.filter(({ isLate }) => !isLate).map(promptTool),
      docs: tools.some(({ tool }) => tool.name === "read") ? base.inputs.docs : [],
      environmentPolicy: describePolicy(policy, granted, tools.map(({ tool }) => tool.name)),
      runtime: reading.runtime,
    };
    stable = compileStable(inputs);
    definitions = undefined;
    record = {
      ...policyRecord(held?.policy ?? policy),
      trust: { ...base.trust },
      ...(base.pack ? { pack: { ...base.pack } } : {}),
    };
    trigger = why;
  };
  const readClock = (): void => {
    const at = Date.now();
    const { root } = policy;
    reading = { runtime: gatherRuntime({ root, now: at, os: Deno.build.os, arch: Deno.build.arch }), at };
  };
  const compile = (round: RoundRequest, why: CompileTrigger, todo: PromptInputs["todo"] = []): CompiledRound => {
    const offered = round.withoutTools ? [] : definitions ??= tools.map(({ definition }) => definition);
    const runtimeSkills = turnSkills(request);
    const own: Partial<PromptInputs> = {
      ...(runtimeSkills.length > 0 ? { runtimeSkills } : {}),
      ...(held ? { planning: describePolicy(held.policy, held.granted) } : {}),
      ...(todo.length > 0 ? { todo } : {}),
      ...(round.retryInstruction === undefined ? {} : { retryInstruction: round.retryInstruction }),
      ...(round.continuation ? { continuation: true } : {}),
      ...(round.finalAnswer ? { finalAnswer: true } : {}),
      ...(round.withoutTools ? { withoutTools: true } : {}),
    };
    const all = Object.keys(own).length === 0 ? inputs : { ...inputs, ...own };
    const meta = { trigger: why, round: round.round, tools: offered, policy: record, history, hooks: [] };
    const prompt = override
      ? compileOverride(override, all, meta)
      : compileRound(stable, all, { ...meta, diagnostics: base.diagnostics });
    return { prompt, tools: offered };
  };

  compileBase("startup");
  return {
    base: () => ({ ...base, inputs }),
    compile(round, messages, todo) {
      peeked = undefined;
      request = messages;
      const compiled = compile(round, trigger ?? (round.round === 1 ? "prompt" : "round"), todo);
      trigger = undefined;
      return compiled;
    },
    peek() {
      if (peeked?.messages !== request.length) {
        peeked = { prompt: compile({ round: 1 }, trigger ?? "prompt").prompt, messages: request.length };
      }
      return peeked.prompt;
    },
    takeBase(next, why) {
      base = next;
      readClock();
      compileBase(why);
    },
    takeTools(next, why, inRun = false) {
      tools = next;
      if (!inRun) readClock();
      compileBase(why);
    },
    tools: () => tools,
    takePolicy(next, under, instead) {
      const isMoved = next.policy.root !== policy.root;
      ({ policy, granted } = next);
      held = instead;
      tools = under;
      if (isMoved) readClock();
      // In the middle of a run: the clock stays, so that only what the grant changed is different.
      compileBase("reload");
    },
    reading: () => reading,
    takeReading(kept) {
      reading = kept;
      compileBase(trigger ?? "startup");
    },
    startPrompt(skills, messages = []) {
      peeked = undefined;
      turnSkills = skills;
      request = messages;
      override = undefined;
      history = { decision: "full" };
    },
    setOverride(next) {
      peeked = undefined;
      override = next;
    },
    registry: () => ({ tools: inputs.tools, definitions: tools.map(({ definition }) => definition) }),
    noteHistory(next) {
      peeked = undefined;
      history = next;
    },
  };
}

/**
 * Lets a program's builder write the prompt of a run, after extensions had their say (R54).
 *
 * What the builder throws, and a blank text, are thrown: a run without the prompt that the program wants must not begin.
 * When the run is stopped meanwhile nothing is written; its first request is then not made either.
 */
export async function settleBuilt(
  { prompt }: Pick<EngineCore, "prompt">,
  builder: PromptBuilder | undefined,
  task: string,
  signal: AbortSignal,
): Promise<void> {
  if (!builder) return;
  const { full, manifest } = prompt.peek();
  const input = { ...prompt.registry(), prompt: task, systemPrompt: full, signal };
  const { buildCustomPrompt } = await import("../prompt/custom_prompt.ts");
  try {
    const built = await unlessAborted(buildCustomPrompt(builder, input), signal);
    // The builder saw the compiled prompt and what extensions made of it, and may have kept any of it.
    const stable = { ...built.stable, diagnostics: manifest.diagnostics };
    prompt.setOverride({ ...built, stable, hooks: manifest.hooks });
  } catch (error) {
    prompt.setOverride(undefined);
    if (!signal.aborted) throw error;
  }
}

/** What the person said last: the task of a run that goes on without new words. */
export function lastWords(messages: readonly AgentMessage[]): string {
  const last = messages.findLast((message) => message.role === "user");
  return last ? textOf(last.content) : "";
}

/** A clock in the system prompt that is younger than this needs no other one beside the user's words (K7), milliseconds. */
const FRESH_CLOCK_MS = 60_000;

/**
 * Facts about a prompt of the user: those that a program gave with it (R413), and its moment where the prompt's own clock does
 * not tell it (K7) and its text says what that is (R415).
 */
export function metadataMessages(core: Pick<EngineCore, "prompt">, given: JsonObject = {}): CustomMessage[] {
  const now = Date.now();
  const isTold = core.prompt.base().inputs.metadataMessages === true;
  const time = isTold && now - core.prompt.reading().at >= FRESH_CLOCK_MS ? { time: formatDateTime(now) } : {};
  // Facts of a program count more than the clock's.
  const content = runtimeMetadataMessage({ ...time, ...given });
  return content === undefined
    ? []
    : [{ role: "custom", customType: "runtime_metadata", content, display: false, timestamp: now }];
}

/** The custom type of its entries. */
const READING = "runtime";

/** What was kept last, so that a round does not look through the whole session. */
const kept = new WeakMap<SessionStore, number>();

/** Keeps the clock of the system prompt with the session, once for each reading (K7). */
export function keepReading(conversation: Conversation, prompt: PromptState): void {
  const reading = prompt.reading();
  const store = conversation.store();
  if ((kept.get(store) ?? stored(conversation)?.at) === reading.at) return;
  kept.set(store, reading.at);
  conversation.append({ type: "custom", customType: READING, data: reading });
}

/** Takes the clock that a resumed session was started with, so that its requests keep their first bytes. */
export function restoreReading(conversation: Conversation, prompt: PromptState): void {
  const reading = stored(conversation);
  if (reading && reading.runtime.cwd === prompt.reading().runtime.cwd) prompt.takeReading(reading);
}

function stored(conversation: Conversation): RuntimeReading | undefined {
  const data = lastCustom(conversation.store().entries(), READING);
  if (data === undefined) return undefined;
  const { runtime, at } = data;
  if (!isObject(runtime) || typeof at !== "number") return undefined;
  const { dateTime, cwd, os, git } = runtime;
  if (typeof dateTime !== "string" || typeof cwd !== "string" || typeof os !== "string") return undefined;
  const { branch, dirty } = isObject(git) ? git : {};
  return {
    at,
    runtime: {
      dateTime,
      cwd,
      os,
      ...(typeof branch === "string" ? { git: { branch, ...(typeof dirty === "boolean" ? { dirty } : {}) } } : {}),
    },
  };
}
