import { messageOf, UserError } from "../core/error.ts";
import type { Config } from "../config/config.ts";
import type { Provider, ThinkingLevel } from "../core/provider.ts";
import { DEFAULT_PROVIDER } from "../provider/table/table.ts";
import {
  chainOf,
  chooseNamed,
  type KeptModel,
  keptName,
  type ModelChoice,
  namedModels,
  REPLAY,
  type ServerChoice,
  type StandIns,
  tableOf,
} from "./model/model.ts";
import { resolveChoice } from "./model/first_model.ts";
import { assumedWindow, type OpenModel, openModel, type RequestSeams } from "./model/open_model.ts";

/** Which model answers, opened when it is first asked for: loading its adapter is most of a start. */
export interface ModelState {
  /** Throws UserError when it cannot be opened. */
  readonly current: () => Promise<ActiveModel>;
  readonly id: () => string;
  readonly provider: () => string;
  /** Where it is asked, and with which key. */
  readonly choice: () => ModelChoice;
  /** Tokens; what is assumed before the model is opened. */
  readonly contextWindow: () => number;
  readonly thinking: () => ThinkingLevel;
  readonly setThinking: (level: ThinkingLevel) => void;
  /** Who shortens a rolling history, where the settings name somebody else (R311). */
  readonly summary: () => Promise<Provider | undefined>;
  /** Opens another one; the old one stays when that fails. */
  readonly choose: (id: string) => Promise<void>;
  /** Whether another model stands in for the one at hand. */
  readonly hasFallback: () => boolean;
  /** Opens the next one of those that can be opened, and tells of the others. False: there is none. */
  readonly fallBack: () => Promise<boolean>;
  /** The same models for somebody who shares this one's connection: what is taken of them changes nothing here. */
  readonly standIns: () => StandIns;
  /**
   * Goes back to the model of a session that is gone on with; true when it is another one from now on. A model that the
   * command line or the program names stays; one that cannot be used is told of.
   */
  readonly restore: (kept: KeptModel | undefined) => boolean;
}

/** What a model state is made with. */
export interface ModelStateParts {
  readonly config: Config;
  /** The model that the command line, the program or the settings name. */
  readonly first: ModelChoice;
  readonly thinking: ThinkingLevel;
  readonly seams: RequestSeams;
  /** Variables of the environment, and what a program gave in place of one. */
  readonly variable: (name: string) => string | undefined;
  readonly tell: (notice: string) => void;
  /** The sub-agent whose model it is. */
  readonly agentId?: string | undefined;
}

/** A choice and what became of it. */
interface Slot {
  readonly choice: ModelChoice;
  opening?: Promise<OpenModel>;
  opened?: OpenModel;
  /** Who shortens a rolling history while this one answers. */
  summary?: Slot;
}

/** The model of a session, and the others that it may go over to. */
export function createModelState({ config, first, seams, variable, tell, ...parts }: ModelStateParts): ModelState {
  const { values } = config.invocation;
  let slot: Slot = { choice: first };
  let thinking = parts.thinking;
  /** Of whoever gave the model; a choice of its own ends them. */
  let given = first.kind === "given" ? first.standIns?.() : undefined;
  let fallbacks: string[] = first.kind === "given" ? [] : namedModels(values, config.settings).slice(1);
  let choosing: Promise<unknown> = Promise.resolve();
  /**
   * An open belongs to its own slot: if another model is chosen meanwhile, that choice is never paired with this
   * provider.
   */
  const open = async (of: Slot): Promise<OpenModel> => {
    if (of.opened) return of.opened;
    const opening = of.opening ??= openModel(of.choice, config, seams, parts.agentId);
    try {
      const model = await opening;
      if (of.opened) return of.opened;
      of.opened = model;
      for (const notice of model.notices) tell(notice);
      return model;
    } catch (error) {
      // Not kept: what was missing may be there when it is asked for the next time.
      if (of.opening === opening) delete of.opening;
      throw error;
    }
  };
  /** The chosen model once it is open: another one may have been chosen while the first was being opened. */
  const openChosen = async (): Promise<{ readonly of: Slot; readonly model: OpenModel }> => {
    for (;;) {
      const of = slot;
      const model = await open(of);
      if (of === slot) return { of, model };
    }
  };
  /** Whom options of the command line are about: the first model, or the one of a session that is gone on with. */
  let about: string | undefined = first.kind === "server" ? providerOf(first) : DEFAULT_PROVIDER.name;
  const chosen = (id: string): ModelChoice =>
    // A program's own model has no name that anything else could be made from.
    first.kind === "given" && id === first.model
      ? first
      : chooseNamed(id, values, config.settings, { cwd: config.world.cwd, variable }, {
        about,
        now: slot.choice,
      });
  /** What `use` makes of the first name with which it works; people are told of the others. */
  const firstOf = async <T>(
    next: () => string | undefined,
    use: (id: string) => Promise<T>,
  ): Promise<T | undefined> => {
    for (let id = next(); id !== undefined; id = next()) {
      try {
        return await use(id);
      } catch (error) {
        tell(`${id} cannot stand in: ${messageOf(error)}`);
      }
    }
    return undefined;
  };
  async function change(id: string): Promise<ModelChoice> {
    const next: Slot = { choice: await resolveChoice(chosen(id)) };
    // One after the other: the model chosen last wins, however long an earlier one takes to open.
    const turn = choosing.then(async () => {
      await open(next);
      slot = next;
    });
    choosing = turn.catch(() => {});
    await turn;
    return next.choice;
  }
  const provider = (): string => slot.opened?.provider.name ?? providerOf(slot.choice);
  return {
    async current() {
      const { of, model: { provider, maxTokens, contextWindow } } = await openChosen();
      return { provider, maxTokens, contextWindow, thinking, id: idOf(of.choice) };
    },
    id: () => idOf(slot.choice),
    provider,
    choice: () => slot.choice,
    contextWindow: () => slot.opened?.contextWindow ?? assumedWindow(slot.choice, config),
    thinking: () => thinking,
    setThinking: (level) => void (thinking = config.world.pack?.settings.thinking ?? level),
    async summary() {
      const { summaryModel } = config.settings;
      const { choice } = slot;
      if (summaryModel === undefined || choice.kind !== "server") return undefined;
      const of = slot.summary ??= { choice: summaryChoice(summaryModel, choice, chosen) };
      return (await open(of)).provider;
    },
    async choose(named) {
      const { pack } = config.world;
      const settled = pack?.settings.model;
      if (settled !== undefined && !chainOf(settled).includes(named) && settled !== named) {
        throw new UserError({
          what: `Cannot go over to ${named}`,
          why: `the model is settled in ${pack?.pack.name}: ${settled}`,
          fix: "Go on with it",
          exitCode: 3,
        });
      }
      const [id = named, ...rest] = first.kind === "given" && named === first.model ? [named] : chainOf(named);
      await change(id);
      fallbacks = rest;
      given = undefined;
    },
    hasFallback: () => given?.isThere() ?? fallbacks.length > 0,
    async fallBack() {
      if (given) {
        const next = await given.take();
        if (next) slot = { choice: next };
        return next !== undefined;
      }
      return await firstOf(() => fallbacks.shift(), change) !== undefined;
    },
    standIns() {
      if (given && first.kind === "given" && first.standIns) return first.standIns();
      const left = [...fallbacks];
      return {
        isThere: () => left.length > 0,
        take: () =>
          firstOf(() => left.shift(), async (id) => {
            const of: Slot = { choice: await resolveChoice(chosen(id)) };
            const { provider, contextWindow, maxTokens } = await open(of);
            const size = maxTokens === undefined ? {} : { maxTokens };
            return { kind: "given" as const, provider, model: idOf(of.choice), contextWindow, ...size };
          }),
      };
    },
    restore(kept) {
      const isNamed = values["model"] !== undefined || values["base-url"] !== undefined || first.kind === "given";
      if (!kept || isNamed) return false;
      const now = { provider: provider(), id: idOf(slot.choice) };
      const before = about;
      about = undefined;
      const table = tableOf(config.settings);
      const restored = restoredModel(kept, now, (kept) => {
        const name = keptName(kept, table);
        return name === undefined ? undefined : chosen(name);
      });
      about = restored && "choice" in restored ? providerOf(restored.choice) : before;
      if (!restored) return false;
      if ("why" in restored) {
        tell(
          `the model of this session, ${kept.modelId}, cannot be used (${restored.why}): ${idOf(slot.choice)} answers`,
        );
        return false;
      }
      slot = { choice: restored.choice };
      fallbacks = [];
      return true;
    },
  };
}

/** Another model of the same server, unless its name says whose it is and that one can be asked. */
function summaryChoice(name: string, { endpoint }: ServerChoice, chosen: (id: string) => ModelChoice): ModelChoice {
  try {
    return chosen(name);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { kind: "server", endpoint: { ...endpoint, model: name } };
  }
}

/** The model that answers, as events have it. */
export function modelView({ provider, id }: Pick<ModelState, "provider" | "id">): { provider: string; id: string } {
  return { provider: provider(), id: id() };
}

function idOf(choice: ModelChoice): string {
  if (choice.kind === "server") return choice.endpoint.model;
  return choice.kind === "replay" ? `replay:${choice.file}` : choice.model;
}

function providerOf(choice: ModelChoice): string {
  if (choice.kind === "server") return choice.endpoint.entry.name;
  return choice.kind === "replay" ? REPLAY : choice.provider.name;
}

/** What becomes of a session's model: another choice, or why it cannot be one; undefined: all stays as it is. */
export type Restored = { readonly choice: ModelChoice } | { readonly why: string };

/**
 * Decides whether the model of a session that is gone on with answers again.
 *
 * `choose` throws UserError for a model that cannot be had, and gives nothing for a provider that is not known. A cassette's
 * replies name no model; only `replay:FILE` does.
 */
export function restoredModel(
  kept: KeptModel,
  now: { readonly provider: string; readonly id: string },
  choose: (kept: KeptModel) => ModelChoice | undefined,
): Restored | undefined {
  const { provider, modelId } = kept;
  const isReplay = provider === REPLAY;
  if ((provider === now.provider && modelId === now.id) || (isReplay && !modelId.startsWith("replay:"))) {
    return undefined;
  }
  if (!isReplay && modelId.startsWith("replay:")) return { why: "it is no name of a model" };
  try {
    const choice = choose(kept);
    if (!choice) return { why: `the provider ${provider} is not known here` };
    if (choice.kind !== (isReplay ? REPLAY : "server")) return { why: "it is no name of a model" };
    if (choice.kind === "replay") Deno.statSync(choice.file);
    return { choice };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

/** Who answers at the moment. */
export interface ActiveModel {
  readonly provider: Provider;
  /** As the person names it, for example `gpt-5` or `replay:FILE`. */
  readonly id: string;
  /** Tokens. */
  readonly contextWindow: number;
  /** Output limit for the request; the server's own where the model is not known. */
  readonly maxTokens: number | undefined;
  readonly thinking: ThinkingLevel;
}
