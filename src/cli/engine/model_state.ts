import type { Provider, ThinkingLevel } from "../../core/provider.ts";
import type { Config } from "../config.ts";
import { chooseModel, type ModelChoice } from "../model.ts";
import { type OpenModel, openModel, type RequestSeams } from "../open_model.ts";
import { readVariable } from "../world.ts";
import type { ActiveModel } from "./active_model.ts";

/** Which model answers, opened when it is first asked for: loading its adapter is most of a start. */
export interface ModelState {
  /** Throws UserError when it cannot be opened. */
  readonly current: () => Promise<ActiveModel>;
  readonly id: () => string;
  readonly provider: () => string;
  /** Tokens; what is assumed before the model is opened. */
  readonly contextWindow: () => number;
  readonly thinking: () => ThinkingLevel;
  readonly setThinking: (level: ThinkingLevel) => void;
  /** Who shortens a rolling history, where the settings name somebody else (R311). */
  readonly summary: () => Promise<Provider | undefined>;
  /** Opens another one; the old one stays when that fails. */
  readonly choose: (id: string) => Promise<void>;
}

/** The model that the command line or the settings name. */
export function createModelState(
  config: Config,
  first: ModelChoice,
  firstThinking: ThinkingLevel,
  seams: RequestSeams,
  tell: (notice: string) => void,
): ModelState {
  let choice = first;
  let thinking = firstThinking;
  let opening: Promise<OpenModel> | undefined;
  let opened: OpenModel | undefined;
  let summarizer: Promise<OpenModel> | undefined;
  const open = async (): Promise<OpenModel> => {
    if (opened) return opened;
    opened = await (opening ??= openModel(choice, config, seams));
    for (const notice of opened.notices) tell(notice);
    return opened;
  };
  return {
    async current() {
      const { provider, maxTokens, contextWindow } = await open();
      return { provider, maxTokens, contextWindow, thinking, id: idOf(choice) };
    },
    id: () => idOf(choice),
    provider: () =>
      opened?.provider.name ??
        (choice.kind === "given" ? choice.provider.name : choice.kind === "replay" ? "replay" : "openai"),
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
      const values = { ...config.invocation.values, model: id };
      const next = chooseModel(values, config.settings, { cwd: config.world.cwd, variable: readVariable });
      const model = await openModel(next, config, seams);
      [choice, opened, opening] = [next, model, Promise.resolve(model)];
      for (const notice of model.notices) tell(notice);
    },
  };
}

function idOf(choice: ModelChoice): string {
  return choice.kind === "replay" ? `replay:${choice.file}` : choice.model;
}
