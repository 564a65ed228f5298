import type { Engine } from "../../core/engine.ts";
import type { CommandWorld } from "../commands/command.ts";
import type { ReadImage } from "../input/image_paths.ts";
import type { PromptHistory } from "../input/prompt_history.ts";
import type { TuiQuestions } from "../transcript/questions.ts";
import type { ResumeOptions } from "./farewell.ts";
import type { Notify } from "./attention.ts";
import type { Theme } from "../screen/theme.ts";

/** What a screen is opened with. Everything that needs the disk or configuration arrives here. */
export interface TuiOptions extends Omit<CommandWorld, "now"> {
  /** A promise lets the screen appear while the session opens; a rejection ends the screen and is passed on. */
  readonly engine: Engine | Promise<Engine>;
  /** Made before the engine, whose `ask` is theirs. */
  readonly questions: TuiQuestions;
  /** Called when something is on the screen: time for work that would have held it up. */
  readonly onFirstFrame?: () => void;
  /** The workspace: absolute. */
  readonly cwd: string;
  readonly version: string;
  readonly theme: Theme;
  /** Nobody has chosen the colours: the terminal is asked for its ground. */
  readonly asksGround: boolean;
  /** The terminal understands a name for its window. */
  readonly hasTitle: boolean;
  /** How the person is called when a run ends or asks. */
  readonly notify: Notify;
  /** What the model thought is shown from the start. */
  readonly showsThinking: boolean;
  /** Lines only, for screen readers and dumb terminals. */
  readonly plain: boolean;
  readonly history: PromptHistory;
  /** Paths that tools may read, relative to the workspace, folders with `/` at the end. */
  readonly files: () => Promise<readonly string[]>;
  /** A picture that the person named: a path as typed. */
  readonly readImage: ReadImage;
  /** Keeps the picture in the desktop's clipboard, else the one that `other` gives, in a file of its own: its path. */
  readonly keepPicture: (other: () => Promise<Uint8Array | undefined>) => Promise<string | undefined>;
  readonly branch: () => string | undefined;
  /** Words of the person's own editor. */
  readonly editor?: string;
  /** PATH for the editor: without directories that tools can write. */
  readonly programPath: () => Promise<string>;
  /** For the advice how to go on, which the person may type as it stands. */
  readonly resumeOptions?: ResumeOptions;
  /** Sent at the start, as if typed. */
  readonly firstMessage?: string;
}
