import type { Engine } from "../../core/engine.ts";
import type { KeyBindings } from "../widgets/key_bindings.ts";
import type { Choice, PickOptions } from "../widgets/picker.ts";
import type { Ground } from "../screen/terminal_answers.ts";
import type { Theme } from "../screen/theme.ts";

/** A session that can be resumed. */
export interface SessionLine {
  /** As `Engine.switchSession` takes it. */
  readonly which: string;
  readonly name?: string;
  readonly firstMessage: string;
  readonly messageCount: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Where it was found by its text: one line. */
  readonly found?: string;
}

/** The sessions that can be gone on with. The last two throw UserError where it cannot be. */
export interface SessionShelf {
  /** Sessions of this workspace, newest first. */
  readonly sessions: () => Promise<readonly SessionLine[]>;
  /** Those in which a text was said. */
  readonly searchSessions: (text: string) => Promise<readonly SessionLine[]>;
  readonly deleteSession: (which: string) => Promise<void>;
  readonly renameSession: (which: string, name: string) => Promise<void>;
  readonly now: () => number;
}

/** What commands need of the disk and of configuration; each gives lines or does nothing. */
export interface CommandWorld extends SessionShelf {
  readonly models: readonly string[];
  /** Those of all providers that can be asked, with what is known of each; what does not answer soon is left out. */
  readonly serverModels: () => Promise<readonly { readonly name: string; readonly detail: string }[]>;
  readonly keys: KeyBindings;
  /** What the policy says in sentences. */
  readonly policy: () => Promise<readonly string[]>;
  /** Lines of the audit of this session. */
  readonly audit: () => Promise<readonly string[]>;
  /** Writes the session to a file and gives its path; the end of the name says in which form. */
  readonly exportSession: (path: string | undefined) => Promise<string>;
  /** Keeps the theme that the person chose, `auto` for none; rejects with a UserError where that cannot be. */
  readonly keepTheme: (name: Ground | "auto") => Promise<void>;
}

/** A sub-agent in a list. */
export interface AgentLine {
  readonly id: string;
  readonly description: string;
  readonly line: () => string;
  readonly isRunning: () => boolean;
}

/** Lets the person choose one of a list; undefined when they left. */
export type Pick = <T>(
  title: string,
  choices: readonly Choice<T>[],
  options?: PickOptions<T>,
) => Promise<T | undefined>;

/** What may be done about colours. */
export interface ScreenTheme {
  readonly name: () => Theme["name"];
  readonly set: (name: Ground) => void;
  /** What the terminal says of its ground. */
  readonly ground: () => Promise<Ground | undefined>;
}

/** What a command may do. */
export interface CommandContext {
  readonly engine: Engine;
  readonly world: CommandWorld;
  /** The colours of the screen; where there are none to choose, nothing. */
  readonly theme?: ScreenTheme;
  /** Shows lines. */
  readonly page: (lines: (theme: Theme) => readonly string[]) => void;
  readonly say: (text: string, level?: "info" | "warning" | "error") => void;
  /** Lets the person choose; undefined when they left. */
  readonly pick: Pick;
  /** Gives a text to the clipboard of the terminal, which may not take it; absent where there is no such terminal. */
  readonly copy?: (text: string) => void;
  /** The sub-agents of this session, in order of their starts. */
  readonly agents: () => readonly AgentLine[];
  /** Shows the conversation of one, on the whole screen. */
  readonly openAgent: (id: string) => void;
  /** Puts a text into the editor. */
  readonly write: (text: string) => void;
  readonly quit: () => void;
}

/** A command that the person types with a slash. */
export interface SlashCommand {
  readonly name: string;
  /** Its arguments, for the help. */
  readonly args?: string;
  readonly help: string;
  /** May throw UserError, which is shown. */
  readonly run: (context: CommandContext, args: string) => Promise<void> | void;
}
