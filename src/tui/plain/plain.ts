import { errorText } from "../../core/error.ts";
import { readInput } from "../../core/support/standard_input.ts";
import { modelName } from "../../core/provider.ts";
import { inOwnName, programTitle } from "../../core/version.ts";
import { createSubAgentViews } from "../transcript/sub_agents.ts";
import { linesOf } from "../transcript/transcript.ts";
import type { Engine } from "../../core/engine.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { CommandContext } from "../commands/command.ts";
import { afterRunPrompts } from "../commands/allow.ts";
import { planQuestions } from "../commands/plan.ts";
import { createSend } from "../input/sender.ts";
import { endSession } from "../options/farewell.ts";
import type { TuiOptions } from "../options/options.ts";
import { sandboxGlance } from "../options/sandbox_glance.ts";
import { watchEnds } from "../screen/exit_signals.ts";
import { cleanedEngine, cleanLine } from "../screen/foreign.ts";
import { onlyStyles } from "../screen/only_styles.ts";
import { themeOf } from "../screen/theme.ts";
import { plainEvents } from "./events.ts";
import { plainPick } from "./pick.ts";
import { plainQuestion, type TakeLine } from "./questions.ts";

/**
 * The session as lines and nothing else: no colours, no cursor, nothing is ever changed that was printed. For screen
 * readers and dumb terminals; the terminal stays in its own line mode.
 *
 * Ends as `runTui` does.
 */
export async function runPlain(options: TuiOptions): Promise<number> {
  const input = readLines(() => ended.resolve(129));
  const encoder = new TextEncoder();
  const ended = Promise.withResolvers<number>();
  const print = (text: string): void => {
    let bytes = encoder.encode(text.split("\n").map(onlyStyles).join("\n") + "\n");
    try {
      while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
    } catch {
      ended.resolve(129); // nobody reads any more
    }
  };
  let engine: Engine | undefined;
  let lastInterrupt = -Infinity;
  const ends = watchEnds({
    restore: () => {},
    resumed: () => {},
    end(code) {
      // Ctrl+C stops what goes on; with nothing going on, or twice, it leaves.
      const isTwice = performance.now() - lastInterrupt < 2000;
      lastInterrupt = performance.now();
      if (code !== 130 || isTwice || !engine?.state().isStreaming) return ended.resolve(code === 130 ? 0 : code);
      print("stopping; Ctrl+C again leaves");
      void engine.abort();
    },
  }, { repeats: true });
  print(`${programTitle(options.version)}, plain mode. /help shows commands, /quit leaves.`);
  let waitingForAnswer: TakeLine | undefined;
  options.questions.bind({
    show(question) {
      plainQuestion(question, print, (take) => void (waitingForAnswer = take));
    },
    hide: () => void (waitingForAnswer = undefined),
    notify: (message) => print(message),
    setStatus: (key, text) => text === undefined || print(`${key}: ${text}`),
  });

  try {
    engine = cleanedEngine(await options.engine);
    const opened = engine;
    for (const notice of opened.notices) print(inOwnName(`warning: ${notice}`));
    const { cwd, model, policy } = opened.state();
    print(`${cwd}, model ${cleanLine(modelName(model))}, sandbox: ${sandboxGlance(policy)}`);
    const write = plainEvents(print, options.cwd);
    const agents = createSubAgentViews(options.cwd, () => performance.now());
    const context: CommandContext = {
      engine: opened,
      world: { ...options, now: Date.now },
      page: (lines) => print(lines(themeOf("none")).join("\n").replace(STYLES, "")),
      say: (text, level) => print(inOwnName(level === "error" ? `error: ${text}` : text)),
      pick: (title, choices, options = {}) =>
        plainPick(title, choices, options, print, (take) => void (waitingForAnswer = take)),
      agents: agents.list,
      openAgent(id) {
        const one = agents.list().find((agent) => agent.id === id);
        const look = { width: 100, theme: themeOf("none"), expanded: true, showsThinking: true, expandKey: "" };
        for (let at = 0; one && at < one.transcript.count(); at++) {
          const block = one.transcript.block(at);
          if (block) print(linesOf(block, look).join("\n").replace(STYLES, ""));
        }
      },
      write: (text) => print(`text to write anew: ${text}`),
      quit: () => ended.resolve(0),
    };
    const send = createSend({
      engine: opened,
      reader: { startCommand: () => SILENT },
      context,
      history: options.history,
      readImage: options.readImage,
      giveBack: () => {},
      onOutput: print,
    });
    const planQuestion = planQuestions(context, options.questions);
    const afterRunPrompt = afterRunPrompts(context, options.questions);
    opened.subscribe((event: AgentEvent) => {
      write(event);
      planQuestion(event);
      afterRunPrompt(event);
    });
    if (opened.state().plan?.text !== undefined) planQuestion({ type: "plan_update", phase: "proposed" });
    if (options.firstMessage) void send(options.firstMessage, "followUp");
    void (async () => {
      for await (const line of input) {
        const take = waitingForAnswer;
        waitingForAnswer = undefined;
        if (take === undefined || take(line) === true) void send(line, "steer");
      }
      await opened.waitForIdle();
      ended.resolve(0);
    })().catch((error) => {
      print(inOwnName(`error: ${errorText(error)}`));
      ended.resolve(1);
    });
    return await ended.promise;
  } finally {
    options.questions.release();
    if (engine) {
      const words = await endSession(engine, options.resumeOptions);
      if (words !== undefined) print(words);
    }
    ends.stop();
  }
}

// deno-lint-ignore no-control-regex -- plain mode has no styles
const STYLES = /\x1b\[[0-9;]*m/g;

const SILENT = { end: () => {}, update: () => {}, isDone: () => true, lines: () => [] };

/** Lines that the user writes, without their ends. `onClosed`: the terminal was closed. */
async function* readLines(onClosed: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65536);
  let rest = "";
  try {
    for (let count = await readInput(buffer); count !== null; count = await readInput(buffer)) {
      const lines = (rest + decoder.decode(buffer.subarray(0, count), { stream: true })).split(/\r?\n/);
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch {
    return onClosed();
  }
  if (rest !== "") yield rest;
}
