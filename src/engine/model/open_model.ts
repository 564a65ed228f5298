import { withoutSecrets } from "../../provider/reply/hidden_secrets.ts";
import { knownSecrets } from "./secrets.ts";
import { isAbsolutePath } from "../../core/support/on_disk.ts";
import { join } from "@std/path";
import { ifThere } from "../../core/support/attempt.ts";
import { UserError } from "../../core/error.ts";
import type { NamedFile, NamedFiles } from "../../core/named_files.ts";
import type { Provider } from "../../core/provider.ts";
import type { Lead } from "../../provider/replay/replay.ts";
import type { Recording } from "../../provider/replay/record.ts";
import { type Connection, isPrivateHost } from "../../provider/endpoint/connection.ts";
import type { Endpoint } from "../../provider/endpoint/endpoint.ts";
import { modelFacts } from "../../provider/models/models.ts";
import { openProvider } from "../../provider/mod.ts";
import { MAX_REPLY_CHARACTERS } from "../../provider/reply/message.ts";
import type { Config } from "../../config/config.ts";
import { namedFilesOf } from "../../config/named_files.ts";
import { runLimitsOf } from "../../config/run_settings.ts";
import { type EndpointFacts, endpointFacts, isFree } from "./endpoint_facts.ts";
import type { ModelChoice, ServerChoice } from "./model.ts";
import { openLearned } from "./learned.ts";

/** A provider that is ready to be asked, and what is known of its model. */
export interface OpenModel {
  readonly provider: Provider;
  /** Output limit for the request; of a model that is not known an assumption, at home the server's own. */
  readonly maxTokens: number | undefined;
  /** Tokens; an assumption where the model is not known. Another one once its server names it. */
  readonly contextWindow: number;
  readonly notices: readonly string[];
}

/** What hooks may do to a request right before it leaves, who hears of the answer, and another memory than the usual one. */
export type RequestSeams = Pick<Connection, "beforeRequest" | "beforeHeaders" | "onResponse" | "memory">;

/**
 * Variable that names a cassette whose replies are played before the model is asked: how `sandpiper check --from` has a recorded
 * run go on live.
 */
export const PLAYED_FIRST = "SANDPIPER_PLAYED_FIRST";

/** What the runs of this process play first, by where they are: all models of a run go on where the others were. */
const leads = new WeakMap<Config["world"], Lead>();

/** What the runs of this process record, by where they are: other models of a run, and its sub-agents', are in the same one. */
const recordings = new WeakMap<Config["world"], Map<string, Recording>>();

/** What a run of this process records, once its model is open; undefined without `--record`. */
export function recordingOf({ world, invocation: { values: { record } } }: Config): Recording | undefined {
  return typeof record === "string" ? recordings.get(world)?.get(fileOf(record, world)) : undefined;
}

function fileOf(record: string, { cwd }: Config["world"]): string {
  return isAbsolutePath(record) ? record : join(cwd, record);
}

/**
 * Opens whoever answers, with recording around it when that was asked for. `agentId`: the sub-agent that asks, where it is not
 * the agent itself.
 */
export async function openModel(
  choice: ModelChoice,
  config: Config,
  seams: RequestSeams = {},
  agentId?: string,
): Promise<OpenModel> {
  const answering = choice.kind === "replay"
    ? await openCassette(choice, config)
    : choice.kind === "given"
    ? given(choice, config)
    : await openServer(choice, config, seams);
  const opened = withoutKeys(await afterLead(answering, config, agentId), choice, config);
  const record = config.invocation.values["record"];
  if (typeof record !== "string") return opened;
  const file = fileOf(record, config.world);
  const { openRecording, recordProvider } = await import("../../provider/replay/record.ts");
  const own = recordings.get(config.world) ?? new Map<string, Recording>();
  let recording = own.get(file);
  if (recording === undefined) {
    const files = namedFilesOf(config);
    const named = files.find(file, { access: "write", typed: true });
    refuseExisting(files, named);
    recordings.set(config.world, own.set(file, recording = openRecording(files, named)));
  }
  const provider = recordProvider(opened.provider, recording, agentId);
  if (choice.kind !== "server") return answeredBy(provider, opened);
  const { secrets } = choice.endpoint.key;
  recording.hide(secrets);
  const { SHORTEST_SECRET } = await import("../../core/support/hide_secrets.ts");
  const isShort = secrets.some(({ length }) => length < SHORTEST_SECRET);
  return answeredBy(provider, opened, isShort ? [shortKey(file, SHORTEST_SECRET)] : []);
}

/** Whoever answers may repeat a key: no reply has one in it, before it is recorded, shown or stored. */
function withoutKeys(opened: OpenModel, choice: ModelChoice, config: Config): OpenModel {
  const own = choice.kind === "server" ? choice.endpoint.key.secrets : [];
  return answeredBy(withoutSecrets(opened.provider, () => [...knownSecrets(config), ...own]), opened);
}

function shortKey(file: string, shortest: number): string {
  return `the API key has fewer than ${shortest} characters: ${file} may hold it within longer texts, because such a word can ` +
    "stand there for itself";
}

/** What changes while it is used stays as it is. */
function answeredBy(provider: Provider, opened: OpenModel, notices: readonly string[] = []): OpenModel {
  const all = [...opened.notices, ...notices];
  return Object.create(opened, { provider: { value: provider }, notices: { value: all } }) as OpenModel;
}

async function afterLead(opened: OpenModel, { world }: Config, agentId: string | undefined): Promise<OpenModel> {
  const file = world.env[PLAYED_FIRST];
  if (file === undefined) return opened;
  const { openLead } = await import("../../provider/replay/replay.ts");
  const lead = leads.get(world) ?? openLead(file);
  leads.set(world, lead);
  return answeredBy(lead.before(opened.provider, agentId), opened);
}

/** What the settings do not say of its model is taken from the program, and then from what is known of its name. */
function given(choice: ModelChoice & { kind: "given" }, config: Config): OpenModel {
  const { provider, model, maxTokens } = choice;
  const own = config.settings.models?.[model];
  const facts = modelFacts(model);
  return {
    provider,
    contextWindow: assumedWindow(choice, config),
    maxTokens: maxTokens ?? own?.maxTokens ?? (facts.isKnown ? facts.maxTokens : undefined),
    notices: [],
  };
}

/** More than any recording has, bytes. */
const MAX_CASSETTE_BYTES = 500 * 1024 ** 2;

/** A cassette has no model of its own: one with data in the settings under its name can stand for any. */
async function openCassette(choice: ModelChoice & { kind: "replay" }, config: Config): Promise<OpenModel> {
  const files = namedFilesOf(config);
  const file = files.find(choice.file, { access: "read", typed: true });
  const text = file.root === undefined
    // Tools cannot write there. A pipe may stand there, and another thread waits for it.
    ? () => Deno.readTextFile(file.real)
    : () => new TextDecoder().decode(files.read(file, MAX_CASSETTE_BYTES));
  const { openReplay } = await import("../../provider/replay/replay.ts");
  const provider = await openReplay(choice.file, text);
  const own = config.settings.models?.["replay"];
  return {
    provider,
    maxTokens: own?.maxTokens,
    contextWindow: assumedWindow(choice, config),
    notices: [],
  };
}

/** The context window that is assumed of a model before it is opened, tokens. */
export function assumedWindow(choice: ModelChoice, { settings }: Pick<Config, "settings">): number {
  if (choice.kind === "server") return endpointFacts(choice.endpoint, settings).contextWindow;
  const model = choice.kind === "given" ? choice.model : "";
  const own = settings.models?.[choice.kind === "given" ? model : "replay"];
  const told = choice.kind === "given" ? choice.contextWindow : undefined;
  return told ?? own?.contextWindow ?? modelFacts(model).contextWindow;
}

/** A recording is one run: lines of an older one before it would be played first. */
function refuseExisting(files: NamedFiles, file: NamedFile): void {
  if (!ifThere(() => files.status(file))?.size) return;
  throw new UserError({
    what: `Cannot record to "${file.path}"`,
    why: "it exists already",
    fix: "Name a new file with --record, or remove that one",
  });
}

async function openServer({ endpoint }: ServerChoice, config: Config, seams: RequestSeams): Promise<OpenModel> {
  const { entry, baseUrl, model, key } = endpoint;
  const facts = endpointFacts(endpoint, config.settings);
  const { price, contextWindow } = facts;
  const memory = seams.memory ?? openLearned({ baseUrl, model }, config);
  if (!price && entry.prices !== "server" && runLimitsOf(config).maxCostUsd !== undefined) throw unpriced(model);
  // A command runs now: what is wrong with it is said before anything begins.
  await key.current();
  const provider = await openProvider(entry.api, {
    baseUrl,
    apiKey: "",
    key,
    ...(key.origin === undefined ? {} : { apiKeyEnv: key.origin }),
    name: entry.name,
    model,
    contextWindow,
    maxReplyCharacters: maxReplyCharacters(config),
    ...(entry.keyHeader === undefined ? {} : { keyHeader: entry.keyHeader }),
    ...(entry.headers === undefined ? {} : { headers: entry.headers }),
    ...(entry.query === undefined ? {} : { query: entry.query }),
    ...(entry.stallMs === undefined ? {} : { stallMs: entry.stallMs }),
    known: facts.known,
    capabilities: { ...entry.capabilities, ...facts.takes },
    memory,
    secrets: () => [...knownSecrets(config)],
    ...seams,
    ...(price ? { price } : {}),
  });
  const { takes } = facts;
  return {
    provider,
    get contextWindow() {
      return takes.contextWindow ?? memory.recall().contextWindow ?? contextWindow;
    },
    // Hosted servers may stop early where no number is asked for; those at home go on while there is room in the window.
    maxTokens: facts.isKnown || !isPrivateHost(baseUrl) ? facts.maxTokens : undefined,
    notices: facts.isKnown || facts.isSet ? [] : await unknownNotices(endpoint, facts, config),
  };
}

/** What is assumed of a model that nobody knows. Of one on a machine of the person's own it is said once. */
async function unknownNotices(
  { entry, model, baseUrl }: Endpoint,
  { contextWindow, price }: EndpointFacts,
  config: Config,
): Promise<readonly string[]> {
  const isLocal = isPrivateHost(baseUrl);
  if (isLocal && !(await import("./reported_models.ts")).isFirstReport(model, config)) return [];
  const costs = entry.prices === "server"
    ? "its server says what it costs"
    : price && isFree(price)
    ? "it is free"
    : "its price is not known, so that no costs are counted";
  return [
    `nothing is known of the model ${model}: a context window of ${contextWindow} tokens is assumed and ${costs}; ` +
    `"models" in settings.json can tell more${isLocal ? " (this is said once for each model)" : ""}`,
  ];
}

/** The user's bound of a reply, else the default, and what the project lowers of it. */
function maxReplyCharacters({ user, project, given }: Config): number {
  const lowered = given?.limits ? undefined : project.limits?.maxReplyCharacters;
  return Math.min(user.limits?.maxReplyCharacters ?? MAX_REPLY_CHARACTERS, lowered ?? Infinity);
}

/** A limit that nothing could ever reach must not look like one. */
function unpriced(model: string): UserError {
  return new UserError({
    what: `Cannot limit the cost of ${model}`,
    why: "its price is not known, so that no cost is counted",
    fix: `Set models.${model}.price in settings.json: {"models": {${JSON.stringify(model)}: {"price": {"input": USD, ` +
      `"output": USD}}}}, per million tokens (0 for a model of your own), or leave --max-cost and limits.maxCostUsd out`,
  });
}
