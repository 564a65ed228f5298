import type { Engine } from "../../core/engine.ts";
import { errorText, UserError } from "../../core/error.ts";
import type { CommandContext } from "../commands/command.ts";
import { allCommands, parseSlash, SLASH_COMMANDS } from "../commands/table.ts";
import { imagesIn, type ReadImage } from "./image_paths.ts";
import type { PromptHistory } from "./prompt_history.ts";
import type { Reader } from "../transcript/reader.ts";

/** What sending needs. */
export interface SenderParts {
  readonly engine: Engine;
  readonly reader: Pick<Reader, "startCommand">;
  readonly context: CommandContext;
  readonly history: PromptHistory;
  readonly readImage: ReadImage;
  /** A text that could not be sent comes back. */
  readonly giveBack: (text: string) => void;
  /** Where output of typed commands goes when there is no screen for it. */
  readonly onOutput?: (text: string) => void;
}

/** Sends what the person typed to where it belongs: a command, the shell, or the model. Never rejects. */
export type Send = (text: string, whileBusy: "steer" | "followUp") => Promise<void>;

/** Sends to one session. */
export function createSend(parts: SenderParts): Send {
  const { engine, reader, context, history, readImage, giveBack, onOutput } = parts;

  async function shell(line: string): Promise<void> {
    const isHidden = line.startsWith("!!");
    const command = line.slice(isHidden ? 2 : 1).trim();
    const block = reader.startCommand(command);
    const started = context.world.now();
    const done = (text: string, isError: boolean, exitCode?: number): void => {
      const details = exitCode === undefined ? {} : { details: { exitCode } };
      // A block shows the code in its head.
      onOutput?.([text || "(no output)", ...(exitCode ? [`exit ${exitCode}`] : [])].join("\n"));
      block.end({ content: [{ type: "text", text }], ...details }, isError, context.world.now() - started);
    };
    try {
      const { output, exitCode, cancelled } = await engine.bash(command, isHidden);
      done(output, cancelled || exitCode !== 0, exitCode);
    } catch (error) {
      done(errorText(error), true);
    }
  }

  async function toModel(text: string, whileBusy: "steer" | "followUp"): Promise<void> {
    const images = await imagesIn(text, readImage);
    const input = { text, source: "interactive" as const, ...(images.length > 0 ? { images } : {}) };
    if (images.length > 0) context.say(images.length === 1 ? "with one picture" : `with ${images.length} pictures`);
    await engine.prompt(engine.state().isStreaming ? { ...input, whileBusy } : input);
  }

  return async (given, whileBusy) => {
    const text = given.trim();
    if (text === "" || /^!+$/.test(text)) return;
    history.add(given);
    let isComplete = false; // nothing about the text itself is wrong
    try {
      if (text.startsWith("!")) return await shell(text);
      const slash = parseSlash(text);
      const own = slash && SLASH_COMMANDS.find(({ name }) => name === slash.name);
      isComplete = own !== undefined && slash?.args === "";
      if (slash && own) return await own.run(context, slash.args);
      const others = engine.commands();
      if (slash && !others.some(({ name }) => name === slash.name)) throw unknown(slash.name, allCommands(others));
      await toModel(text, whileBusy);
    } catch (error) {
      context.say(errorText(error), "error");
      if (!isComplete) giveBack(given);
    }
  };
}

function unknown(name: string, all: readonly { readonly name: string }[]): UserError {
  const near = all.filter((known) => known.name.startsWith(name.slice(0, 2))).slice(0, 5);
  return new UserError({
    what: `There is no command /${name}`,
    why: "no extension, template or skill has that name either",
    fix: near.length > 0
      ? `Perhaps ${near.map((one) => `/${one.name}`).join(", ")}; /help shows all`
      : "/help shows those that there are",
  });
}
