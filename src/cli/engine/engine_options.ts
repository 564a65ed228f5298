import type { AskPermission } from "../../core/engine.ts";
import type { HostUi } from "../../core/host_actions.ts";
import type { HooksOptions } from "../../hooks/open.ts";
import type { PromptBuilder } from "../../prompt/custom_prompt.ts";
import type { Config } from "../config.ts";
import type { ModelChoice } from "../model.ts";
import type { PromptAdditions } from "../prompt_additions.ts";
import type { GrantAsking } from "./extension_grants.ts";

/** What an engine is opened with. */
export interface EngineOptions {
  readonly config: Config;
  readonly choice: ModelChoice;
  /** Answers denials; without it they are final. */
  readonly ask?: AskPermission;
  /** Who reads along: the prompt says whether anybody can answer (R409). */
  readonly channel: "interactive" | "text" | "stdin" | "json" | "rpc";
  /** How extensions speak with the person; without it nobody can be asked. */
  readonly ui?: HostUi;
  /** Asks what an extension may have; without it, it has what the user's settings grant. */
  readonly grants?: GrantAsking;
  /** Extensions of a program that embeds the engine, in its own process. */
  readonly extensions?: NonNullable<HooksOptions["inProcess"]>;
  /** What such a program adds to the system prompt. */
  readonly additions?: PromptAdditions;
  /** Writes the system prompt of each message of the user in place of the compiler (R54). */
  readonly promptBuilder?: PromptBuilder;
  /** Variables for a model that is chosen later, the key's among them; those of the process unless told otherwise. */
  readonly variable?: (name: string) => string | undefined;
  /** Whether this process is closed to debuggers and core files; true unless told otherwise. */
  readonly hardens?: boolean;
  /** Hears what there is to say while the session closes, when its events may be read by nobody; a notice without it. */
  readonly onLeft?: (line: string) => void;
}
