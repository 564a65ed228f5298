import type { Provider, ThinkingLevel } from "../../core/provider.ts";
import type { Config } from "../config.ts";
import { chooseModel, type ModelChoice } from "../model.ts";
import { type OpenModel, openModel, type RequestSeams } from "../open_model.ts";
import type { ActiveModel } from "./active_model.ts";
import { type KeptModel, restoredModel } from "./kept_model.ts";

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
}

/** The model of a session, and the others that it may go over to. */
export function createModelState({ config, first, seams, variable, tell, ...parts }: ModelStateParts): ModelState {
  const { values } = config.invocation;
  let choice = first;
  let thinking = parts.thinking;
  let opening: Promise<OpenModel> | undefined;
  let opened: OpenModel | undefined;
  let summarizer: Promise<OpenModel> | undefined;
  const open = async (): Promise<OpenModel> => {
    if (opened) return opened;
    opened = await (opening ??= openModel(choice, config, seams));
    for (const notice of opened.notices) tell(notice);
    return opened;
  };
  const chosen = (id: string): ModelChoice =>
    // A program's own model has no name that anything else could be made from.
    first.kind === "given" && id === first.model
      ? first
      : chooseModel({ ...values, model: id }, config.settings, { cwd: config.world.cwd, variable });
  const provider = (): string =>
    opened?.provider.name ??
      (choice.kind === "given" ? choice.provider.name : choice.kind === "replay" ? "replay" : "openai");
  return {
    async current() {
      const { provider, maxTokens, contextWindow } = await open();
      return { provider, maxTokens, contextWindow, thinking, id: idOf(choice) };
    },
    id: () => idOf(choice),
    provider,
    choice: () => choice,
    contextWindow: () => opened?.contextWindow ?? 0,
    thinking: () => thinking,
    setThinking: (level) => void (thinking = level),
    async summary() {
      const { summaryModel } = config.settings;
      if (summaryModel === undefined || choice.kind !== "openai") return undefined;
      summarizer ??= openModel({ ...choice, model: summaryModel }, config, seams);
      return (await summarizer).provider;
    },
    async choose(id) {
      const next = chosen(id);
      const model = await openModel(next, config, seams);
      [choice, opened, opening] = [next, model, Promise.resolve(model)];
      for (const notice of model.notices) tell(notice);
    },
    restore(kept) {
      const isNamed = values["model"] !== undefined || values["base-url"] !== undefined || first.kind === "given";
      if (!kept || isNamed) return false;
      const restored = restoredModel(kept, { provider: provider(), id: idOf(choice) }, chosen);
      if (!restored) return false;
      if ("why" in restored) {
        tell(`the model of this session, ${kept.modelId}, cannot be used (${restored.why}): ${idOf(choice)} answers`);
        return false;
      }
      [choice, opened, opening] = [restored.choice, undefined, undefined];
      return true;
    },
  };
}

/** The model that answers, as events have it. */
export function modelView({ provider, id }: Pick<ModelState, "provider" | "id">): { provider: string; id: string } {
  return { provider: provider(), id: id() };
}

function idOf(choice: ModelChoice): string {
  return choice.kind === "replay" ? `replay:${choice.file}` : choice.model;
}
