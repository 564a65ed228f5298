import { programName } from "../core/version.ts";
import { errorText } from "../core/error.ts";
import { THINKING_LEVELS } from "../core/provider.ts";
import type { Engine, EngineState } from "../core/engine.ts";
import type { AgentEvent } from "../core/event.ts";
import { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js";
import { createKeys } from "./input/app_keys.ts";
import { fixedBlock, type Look } from "./widgets/block.ts";
import { noticeBlock, pageBlock } from "./blocks/said.ts";
import type { CommandContext } from "./commands/command.ts";
import { isRunning } from "./commands/background.ts";
import { allCommands } from "./commands/table.ts";
import { completion } from "./input/completion.ts";
import { loadWordDiff } from "./blocks/diff_rows.ts";
import { createAttention } from "./options/attention.ts";
import { createDialogs } from "./dialogs/dialogs.ts";
import { editOutside } from "./input/external_editor.ts";
import { headLines, startingFooter } from "./first_frame.ts";
import { endSession } from "./options/farewell.ts";
import { footerLines } from "./view/footer.ts";
import { cleanedEngine, cleanLine } from "./screen/foreign.ts";
import { createFrames } from "./screen/frames.ts";
import { createHint } from "./view/hint.ts";
import type { TuiOptions } from "./options/options.ts";
import { showPast } from "./transcript/history_replay.ts";
import { afterRunPrompts } from "./commands/allow.ts";
import { planQuestions } from "./commands/plan.ts";
import { promptEditor } from "./widgets/prompt_editor.ts";
import { createReader } from "./transcript/reader.ts";
import { clipboardSequence } from "./screen/clipboard.ts";
import type { Screen } from "./screen/screen.ts";
import { createSend, type Send } from "./input/sender.ts";
import { statusLines } from "./view/status.ts";
import { type Theme, themeOf } from "./screen/theme.ts";
import type { Terminal } from "./screen/terminal.ts";
import { createSubAgentViews } from "./transcript/sub_agents.ts";
import { createTranscript } from "./transcript/transcript.ts";
import { createReading } from "./view/reading.ts";
import { createView } from "./view/view.ts";

/** The screen of one session. */
export interface App {
  readonly input: (text: string) => void;
  readonly resized: () => void;
  /** The process was stopped and goes on. */
  readonly resumed: () => void;
  /** Another theme from now on. */
  readonly setTheme: (theme: Theme) => void;
  /** Ends it with an exit code; what goes on is stopped. */
  readonly quit: (code: number) => void;
  /** Settles when the person has left, or rejects when the session cannot be opened. */
  readonly done: Promise<number>;
}

/** What a terminal says of its focus (mode 1004). */
const [FOCUS_IN, FOCUS_OUT] = ["\x1b[I", "\x1b[O"];

/** How long the person waits for what the terminal says of its ground, milliseconds. */
const GROUND_MS = 500;

/**
 * Opens the screen; the session may still be opening. One file above the usual length: the only place where the parts of the
 * screen meet.
 */
export function openApp(options: TuiOptions, terminal: Terminal, screen: Screen): App {
  const now = (): number => performance.now();
  const folder = options.cwd.slice(options.cwd.lastIndexOf("/") + 1);
  const expandKey = options.keys.shown("expand");
  const transcript = createTranscript([fixedBlock((at) => headLines(options, at), { joins: true })]);
  const reader = createReader(transcript, options.cwd, now);
  const agents = createSubAgentViews(options.cwd, now);
  const ended = Promise.withResolvers<number>();
  const statuses = new Map<string, string>();
  let engine: Engine | undefined;
  let state: EngineState | undefined;
  let send: Send | undefined;
  let waiting: readonly string[] = []; // what was sent before there was a session
  let unsent: readonly string[] = []; // what was sent since then and is in no conversation yet
  let theme = options.theme;
  let showsThinking = options.showsThinking;
  let busySince: number | undefined;
  let branch = options.branch();
  let isLent = false;
  let isParked = false;

  const look = (): Look => ({ width: terminal.columns(), theme, expanded: false, showsThinking, expandKey });
  const attention = createAttention(options.notify, terminal.write);
  const hint = createHint(() => frames.request());
  const dialogs = createDialogs(() => frames.request(), {
    text: () => editor.text(),
    setText: (text) => editor.setText(text),
  }, now);
  const editor = promptEditor({
    theme: () => theme,
    bindings: options.keys,
    rows: terminal.rows,
    provider: completion({ commands: () => allCommands(engine?.commands() ?? []), files: options.files }),
    onSubmit: (text) => submit(text, "steer"),
    onChange: () => frames.request(),
  });
  const view = createView(screen, terminal, transcript, {
    look,
    dialog: dialogs.current,
    editor: editor.lines,
    status: (at) => {
      const busyMs = busySince === undefined ? undefined : now() - busySince;
      const pending = { unsent: [...waiting, ...unsent] };
      const facts = {
        ...pending,
        isAsking: dialogs.isAsking(),
        hasDialog: dialogs.current() !== undefined,
        hint: hint.text(),
      };
      return statusLines({ ...facts, state, now: Date.now(), activity: activity(), busyMs, lines: statuses }, at);
    },
    footer: (at) => state ? footerLines(state, branch, at) : startingFooter(options, at),
  });
  const frames = createFrames(() => isLent || isParked || draw());
  const draw = (): void => {
    nameWindow();
    shown().draw();
  };
  const reading = createReading({
    terminal,
    look,
    note: () => dialogs.isAsking() ? "A question waits for your answer · Esc: back to it" : hint.text() ?? "",
    drawNow: frames.now,
    redrawSession: view.redraw,
  });
  const shown = () => reading.isOn() ? reading : view;
  const redraw = (): void => shown().redraw();
  const nameWindow = (): void => {
    if (!options.hasTitle) return;
    const name = cleanLine(state?.sessionName ?? folder).slice(0, 60);
    const sign = dialogs.isAsking() ? "? " : busySince !== undefined ? "● " : "";
    terminal.setTitle(`${sign}${name} · ${programName()}`);
  };
  // Times go on, and a run may end without a word.
  const isTold = (): boolean => busySince !== undefined || (state?.background.some(isRunning) ?? false);
  const ticker = setInterval(() => isTold() && refresh(), 1000);
  const say = (text: string, level: "info" | "warning" | "error" = "info"): void => {
    transcript.add(noticeBlock(text, level));
    frames.request();
  };
  const submit = (text: string, whileBusy: "steer" | "followUp"): void => {
    if (text.trim() === "") return openAgents();
    editor.remember(text);
    if (send) {
      if (!/^\s*[/!]/.test(text)) unsent = [...unsent, text];
      void send(text, whileBusy).then(() => {
        sent(text);
        refresh();
      });
      refresh();
    } else {
      waiting = [...waiting, text];
      frames.request();
    }
  };
  const sent = (text: string | undefined): void => {
    const at = text === undefined ? 0 : unsent.indexOf(text);
    unsent = unsent.filter((_, index) => index !== at);
  };
  const working = (): number => agents.list().filter(({ isRunning }) => isRunning()).length;
  const activity = (): string => {
    const count = working();
    if (count === 0) return reader.activity();
    return count === 1 ? "a sub-agent works, Enter shows it" : `${count} sub-agents work, Enter shows them`;
  };
  /** Enter on nothing: while sub-agents work, that is what there is to look at. */
  const openAgents = (): void => void (working() > 0 && send?.("/agents", "steer"));
  const refresh = (): void => {
    if (!engine) return;
    state = engine.state();
    const isBusy = state.isStreaming || state.isCompacting || reader.isTyped();
    if (isBusy !== (busySince !== undefined)) {
      if (busySince !== undefined) attention.ended(now() - busySince, `${programName()} is done: ${folder}`);
      busySince = isBusy ? now() : undefined;
    }
    frames.request();
  };
  function setTheme(next: Theme): void {
    theme = next;
    redraw();
  }
  const context = (opened: Engine): CommandContext => ({
    engine: opened,
    theme: { name: () => theme.name, set: (name) => setTheme(themeOf(name)), ground: () => terminal.ground(GROUND_MS) },
    world: { ...options, now: Date.now },
    say,
    page(lines) {
      transcript.add(pageBlock(lines));
      frames.request();
    },
    pick: dialogs.pick,
    agents: agents.list,
    openAgent(id) {
      const one = agents.list().find((agent) => agent.id === id);
      if (one) reading.open(one.transcript);
    },
    copy: (text) => terminal.write(clipboardSequence(text)),
    write(text) {
      editor.setText(text);
      frames.request();
    },
    quit: () => ended.resolve(0),
  });
  const keys = createKeys({
    reading: () => reading.isOn() ? reading : undefined,
    dialog: dialogs.current,
    editor,
    bindings: options.keys,
    isBusy: () => busySince !== undefined,
    send: submit,
    stop() {
      if (!engine) return;
      if (reader.isTyped()) return void engine.abortBash().then(refresh); // the run goes with the next press
      const back = engine.clearQueues().map(({ content }) => typeof content === "string" ? content : "");
      editor.setText([...back, editor.text()].filter((text) => text !== "").join("\n\n"));
      hint.show("stopping");
      void engine.abort().then(refresh);
    },
    quit: () => ended.resolve(0),
    warnQuit: () => hint.show("Ctrl+C again quits; the session is saved"),
    toggleReading() {
      if (reading.isOn()) reading.leave();
      else reading.open(transcript);
    },
    toggleThinking() {
      showsThinking = !showsThinking;
      hint.show(showsThinking ? "Thoughts are shown" : "Thoughts are hidden");
      redraw();
    },
    chooseModel: () => void send?.("/model", "steer"),
    nextThinking() {
      if (!engine) return;
      const at = THINKING_LEVELS.indexOf(engine.state().thinking);
      engine.setThinking(THINKING_LEVELS[(at + 1) % THINKING_LEVELS.length] ?? "off", "cycle");
      refresh();
    },
    editOutside() {
      isLent = true;
      void editOutside(editor.text(), { command: options.editor, path: options.programPath }, terminal).then(
        editor.setText,
        (error) => say(errorText(error), "error"),
      )
        .finally(() => {
          isLent = false;
          view.redraw();
        });
    },
    pastePicture() {
      hint.show("looking for a picture in the clipboard");
      void options.keepPicture(terminal.picture).then((path) => {
        if (path === undefined) {
          return hint.show("The clipboard gives no picture; a path in the message sends one, too");
        }
        const text = editor.text();
        editor.setText(`${text}${text === "" || /\s$/.test(text) ? "" : " "}${path} `);
        frames.request();
      }, (error) => say(errorText(error), "error"));
    },
    redraw,
    suspend() {
      if (Deno.build.os === "windows") return hint.show("Windows puts no program into the background");
      reading.leave();
      isParked = true;
      screen.leave();
      terminal.restore();
      Deno.kill(Deno.pid, "SIGTSTP");
    },
    now,
  });
  const buffer = new StdinBuffer({ escapeTimeout: 25 });
  buffer.on("data", (data) => {
    if (data === FOCUS_IN || data === FOCUS_OUT) return attention.hasFocus(data === FOCUS_IN);
    keys(data);
    // A lone Escape comes when its input has been drawn: nothing could follow it any more.
    frames.request();
  });
  buffer.on("paste", (text) => keys(`\x1b[200~${text}\x1b[201~`));

  options.questions.bind({
    show(question) {
      dialogs.show(question);
      attention.asks(`${programName()} asks: ${folder}`);
    },
    hide: dialogs.hide,
    notify: say,
    setStatus(key, text) {
      if (text === undefined) statuses.delete(key);
      else statuses.set(key, text);
      frames.request();
    },
  });
  for (const text of options.history.load()) editor.remember(text);

  // In the time that the session takes to open.
  const wordDiff = loadWordDiff();
  void Promise.resolve(options.engine).then(async (opened) => {
    await wordDiff;
    engine = cleanedEngine(opened);
    const asked = context(engine);
    const planQuestion = planQuestions(asked, options.questions);
    const afterRunPrompt = afterRunPrompts(asked, options.questions);
    engine.subscribe((event) => {
      reader.read(event);
      if (event.type === "message_start" && event.message.role === "user") sent(undefined);
      showAgents(event);
      if (event.type === "message_update") return frames.request();
      if (event.type === "session_changed" && event.reason !== "name") showSession(engine as Engine); // set above
      if (event.type === "agent_end") branch = options.branch();
      refresh();
      planQuestion(event);
      afterRunPrompt(event);
      // The engine is told of the end of a run before its state says so.
      if (event.type === "agent_end" || event.type === "compaction_end") setTimeout(refresh, 0);
    });
    send = createSend({
      engine,
      reader,
      context: asked,
      history: options.history,
      readImage: options.readImage,
      giveBack(text) {
        if (editor.text() !== "") return;
        editor.setText(text);
        hint.show("Your text is in the editor again: correct it, or Ctrl+C clears it");
      },
    });
    for (const notice of engine.notices) say(notice, "warning");
    showPast(engine.messages(), transcript, options.cwd);
    refresh();
    if (state?.plan?.text !== undefined) planQuestion({ type: "plan_update", phase: "proposed" });
    const first = [...options.firstMessage ? [options.firstMessage] : [], ...waiting];
    waiting = [];
    for (const text of first) submit(text, "followUp");
  }).catch(ended.reject);

  /** A sub-agent and those that it started stand in the block of the call that began it. */
  function showAgents(event: AgentEvent): void {
    const id = agents.read(event);
    const first = id === undefined ? undefined : agents.list().find((one) => one.id === id.split(".")[0]);
    if (first) reader.show(first.toolCallId, agents.tree(first.toolCallId));
  }

  function showSession(of: Engine): void {
    transcript.clear();
    agents.clear();
    const { sessionName, sessionId } = of.state();
    say(`Session ${sessionName ?? sessionId}`);
    showPast(of.messages(), transcript, options.cwd);
  }

  async function close(code: number): Promise<number> {
    options.questions.release();
    dialogs.clear();
    buffer.destroy();
    const words = engine && await endSession(engine, options.resumeOptions);
    if (words !== undefined) say(words);
    leave();
    return code;
  }

  function leave(): void {
    reading.leave();
    frames.stop();
    clearInterval(ticker);
    view.close();
  }

  frames.now();
  return {
    input(text) {
      buffer.process(text);
      if (!isLent) frames.now();
    },
    resized() {
      if (isLent) return;
      reading.resized();
      redraw();
    },
    setTheme,
    resumed() {
      // Below what the shell wrote meanwhile; after a stop that nobody announced, over it.
      if (isParked) view.draw();
      else redraw();
      isParked = false;
    },
    quit: ended.resolve,
    done: ended.promise.then(close, (error) => {
      leave();
      throw error;
    }),
  };
}
