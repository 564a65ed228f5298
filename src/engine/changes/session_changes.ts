// The journal of the session at hand. Its code is loaded and its files are opened when the first request is out: nothing of it
// stands between a person's words and the model.
import type { ChangeSet, ChangingCall, UndoOutcome, UndoPoint, UndoRequest } from "../../core/changes.ts";
import { messageOf, UserError } from "../../core/error.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Policy } from "../../core/policy.ts";
import type { SessionStore } from "../../core/session.ts";
import type { Recorder } from "../../changes/recorder.ts";
import type { Config } from "../../config/config.ts";
import { counted } from "../../core/support/text.ts";
import { checkpointSettings } from "../sessions/checkpoint_place.ts";
import { removeSessionLocks } from "../sessions/session_choice.ts";
import type { OpenJournal } from "./open_journal.ts";

/** What the engine does with the journal of changes. */
export interface SessionChanges {
  /** Reads the events of a run. */
  readonly record: (event: AgentEvent) => void;
  /**
   * Called before a call that may change files; the call begins when it resolves. The state that the call can change is known,
   * kept and on disk then, or the user was warned of what undo cannot restore.
   */
  readonly beforeCall: (call: ChangingCall, how: BeforeCall) => Promise<void>;
  /** A request is on its way. */
  readonly onRequest: () => void;
  /** Looks at what is left, and tells what changed in the run. `ended`: servers that were ended before it. */
  readonly runEnds: (ended: readonly string[]) => Promise<void>;
  /** Looks now; the paths that calls changed since this was asked last, as in FileChange. Empty where nobody may look. */
  readonly sinceLast: () => Promise<readonly string[]>;
  readonly points: () => Promise<readonly UndoPoint[]>;
  readonly undo: (request: UndoRequest) => Promise<UndoOutcome>;
  /** Something that is not a call of the model may have changed files: a command that the user typed. */
  readonly touched: () => void;
  /** The session is about to end what can write, these servers among it: see `Recorder`. */
  readonly endsSoon: (servers: readonly string[]) => Promise<void>;
  /** Closes it while tools move to another place; it opens again by itself, with what it held. */
  readonly pause: () => Promise<void>;
  /** Of a session that is not kept nothing stays. */
  readonly close: () => Promise<void>;
}

/** How a call begins. */
export interface BeforeCall {
  readonly isBackground: boolean;
  /** Aborted when the run is stopped. */
  readonly signal: AbortSignal;
}

/** What it needs of the session. */
export interface SessionChangesParts {
  /** Only tells what changes; nothing of the journal stays. */
  readonly isPassing: boolean;
  readonly config: () => Config;
  readonly policy: () => Policy;
  readonly store: () => SessionStore;
  /** Whether a tool of this name only looks, whoever believes it: those of the program alone. */
  readonly isReadOnly: (tool: string) => boolean;
  readonly tell: (event: AgentEvent) => void;
  readonly notify: (message: string, level?: "info") => void;
  /** Whether a background command runs. */
  readonly isBusy: () => boolean;
}

/** A longer wait is shown. */
const SHOWN_AFTER_MS = 1_000;

/** How long after a request was built the look begins: the request should be out. */
const LOOK_AFTER_MS = 5;

/** The journal of a session; one that does nothing where settings or the system forbid it. */
export function sessionChanges(parts: SessionChangesParts): SessionChanges {
  let opening: Promise<OpenJournal | undefined> | undefined;
  let recorder: Recorder | undefined;
  let waiting: ((recorder: Recorder) => void)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = new Set<string>();
  const tell = (changes: ChangeSet): void => {
    if (changes.of === "calls") {
      for (const { path } of changes.files) changed.add(path);
      const lost = lostLine(changes);
      if (lost !== undefined && !parts.isPassing) parts.notify(lost);
    }
    parts.tell({ type: "changes", changes });
  };
  /** Whether a call of the run at hand could have changed something. */
  let mayHaveChanged = false;
  /** Whether the user was warned in this run that a call did not wait for the scan. */
  let isWarned = false;
  /** How long calls of this run have waited, milliseconds: all of them together wait no longer than the setting says. */
  let waitedMs = 0;
  /** The journal of the session before, until it is closed. */
  let leaving: Promise<void> = Promise.resolve();

  /** Whether a request was made: what killed processes left is removed then. */
  let isAsked = false;
  const removeLeft = async (): Promise<void> => {
    if (parts.isPassing) return;
    removeSessionLocks(parts.config());
    await (await import("./left_files.ts")).removeLeftFiles(parts.policy());
  };

  const open = (): Promise<OpenJournal | undefined> =>
    opening ??= (async () => {
      const settings = checkpointSettings(parts.config());
      try {
        await leaving;
        if (settings === undefined) {
          await removeLeft();
          return undefined;
        }
        const { openSessionJournal, recoverFirst } = await import("./open_journal.ts");
        if (!parts.isPassing) {
          removeSessionLocks(parts.config());
          await recoverFirst(parts.config(), settings, parts.policy(), parts.notify);
        }
        const opened = openSessionJournal({
          config: parts.config(),
          settings,
          store: parts.store(),
          policy: parts.policy,
          tell,
          notify: parts.notify,
          isPassing: parts.isPassing,
          isBusy: parts.isBusy,
        });
        recorder = opened?.recorder;
        for (const tell of waiting.splice(0)) if (recorder) tell(recorder);
        return opened;
      } catch (error) {
        parts.notify(`What changes is not recorded: ${messageOf(error)}`);
        waiting = [];
        return undefined;
      }
    })();
  const say = (what: (recorder: Recorder) => void): void => recorder ? what(recorder) : void waiting.push(what);
  const beforeCall = async (call: ChangingCall, { isBackground, signal }: BeforeCall): Promise<void> => {
    const settings = checkpointSettings(parts.config());
    if (settings === undefined) return;
    mayHaveChanged = true;
    const opened = await open();
    if (opened === undefined) return;
    const over = new AbortController();
    const shown = setTimeout(() => parts.notify(WAITING, "info"), SHOWN_AFTER_MS);
    const since = performance.now();
    const leftMs = settings.waitMs - waitedMs;
    const timer = setTimeout(() => over.abort(), leftMs);
    if (leftMs <= 0) over.abort();
    try {
      const until = AbortSignal.any([signal, over.signal]);
      const isKnown = await opened.recorder.callStarts(call, { isBackground, until, signal });
      if (isKnown || signal.aborted || isWarned || parts.isPassing) return;
      isWarned = true;
      parts.notify(
        `Undo may not restore everything that this run changes: the scan of the workspace had not finished after ` +
          `${settings.waitMs / 1000} s. The setting checkpoints.waitMs allows more time`,
      );
    } finally {
      waitedMs += performance.now() - since;
      clearTimeout(shown);
      clearTimeout(timer);
    }
  };

  /** What removes the journals of a session that is not kept. */
  let forget: OpenJournal["forget"] | undefined;
  const leave = ({ goesOn = false } = {}): Promise<void> => {
    clearTimeout(timer);
    // The reply came before the journal was opened, whose first scan does it otherwise.
    const isLeft = isAsked && opening === undefined;
    isAsked = false;
    const left = opening;
    [opening, recorder, waiting] = [undefined, undefined, []];
    const before = leaving.catch(() => {});
    return leaving = before.then(async () => {
      try {
        if (isLeft) await removeLeft().catch(() => {}); // The next start tries again.
        const opened = await left;
        forget = opened?.forget ?? forget;
        await opened?.close();
      } finally {
        if (!goesOn) {
          forget?.();
          forget = undefined;
        }
      }
    });
  };

  return {
    record(event) {
      switch (event.type) {
        case "agent_start":
          mayHaveChanged = false;
          isWarned = false;
          waitedMs = 0;
          return say((to) => to.runStarts());
        case "message_end": {
          if (event.message.role !== "user" || event.discarded) return;
          const entryId = parts.store().leaf();
          return entryId === null ? undefined : say((to) => to.prompt(entryId));
        }
        case "tool_execution_end":
          return say((to) => to.callEnds(event.toolCallId));
        case "check_end":
          return say((to) => to.callEnds(event.checkId));
        case "background_end":
          return recorder?.backgroundEnds();
        case "session_changed":
          if (event.reason === "new" || event.reason === "resume" || event.reason === "fork") void leave();
      }
    },
    beforeCall: async (call, how) => parts.isReadOnly(call.toolName) ? undefined : await beforeCall(call, how),
    onRequest() {
      isAsked = true;
      clearTimeout(timer);
      timer = setTimeout(() => void open().then((opened) => opened?.recorder.lookSoon()), LOOK_AFTER_MS);
    },
    async runEnds(ended) {
      // Its code is not loaded for a run that had no use for it.
      if (recorder === undefined && !mayHaveChanged) return;
      clearTimeout(timer);
      await (await open())?.recorder.runEnds(ended.map(writerOf));
    },
    async sinceLast() {
      await (await open())?.recorder.catchUp();
      const paths = [...changed];
      changed.clear();
      return paths;
    },
    async points() {
      return (await open())?.points() ?? [];
    },
    async undo(request) {
      const opened = await open();
      if (opened === undefined) throw off();
      return await opened.undo(request);
    },
    touched: () => recorder?.touched(),
    async endsSoon(servers) {
      // Where nothing was scanned yet, no call has changed anything.
      await recorder?.endsSoon(servers.map(writerOf));
    },
    pause: () => leave({ goesOn: true }),
    close: () => leave(),
  };
}

/** A server as it is named beside calls in what changed. */
function writerOf(server: string): ChangingCall {
  return { toolCallId: `mcp-${server}`, toolName: `mcp__${server}` };
}

const WAITING = "waiting for the scan of the workspace: undo has to know what the call can change";

/** Files that are named in a warning. */
const NAMED = 3;

/** What undo cannot restore of some changes, in one sentence; undefined if it can restore everything. */
export function lostLine({ files, counted: ignored, leftOut }: ChangeSet): string | undefined {
  const lost = files.filter(({ notRestorable }) => notRestorable !== undefined);
  const gone = ignored.filter(({ kind }) => kind === "deleted");
  const parts = [
    ...lost.slice(0, NAMED).map(({ path, notRestorable }) => `${path} (${notRestorable})`),
    ...(lost.length > NAMED ? [`${counted(lost.length - NAMED, "more file")}`] : []),
    ...gone.slice(0, NAMED).map(({ path }) => `${path} (an ignored directory, which is not scanned)`),
    ...(gone.length > NAMED
      ? [`${counted(gone.length - NAMED, "more ignored directory", "more ignored directories")}`]
      : []),
    ...leftOut.map(({ why }) => why),
  ];
  return parts.length === 0 ? undefined : `Undo cannot restore: ${parts.join("; ")}`;
}

function off(): UserError {
  return new UserError({
    what: "Nothing can be undone",
    why: "changes are not recorded here",
    fix: "Allow it with the setting checkpoints, see docs/undo.md",
  });
}
