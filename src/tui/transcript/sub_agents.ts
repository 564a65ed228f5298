import { counted } from "../../core/support/text.ts";
import type { AgentEvent } from "../../core/event.ts";
import { money } from "../blocks/amounts.ts";
import { toolTitle } from "../blocks/tool_title.ts";
import { cut } from "../screen/wrap.ts";
import { createReader, type Reader } from "./reader.ts";
import { createTranscript, type Transcript } from "./transcript.ts";

/** A sub-agent on the screen. */
export interface SubAgentView {
  readonly id: string;
  /** What it was asked to do. */
  readonly description: string;
  /** The call that started it. */
  readonly toolCallId: string;
  /** One line: what it may change, what it does now, what it cost. */
  readonly line: () => string;
  readonly isRunning: () => boolean;
  /** Its own conversation. */
  readonly transcript: Transcript;
}

/** The sub-agents of a session. */
export interface SubAgentViews {
  /** Reads their events; the others are none of its own. Gives the id of the sub-agent that an event is about. */
  readonly read: (event: AgentEvent) => string | undefined;
  /** All that there were, in order of their starts. */
  readonly list: () => readonly SubAgentView[];
  /** Of a call: its sub-agent's line and, further in, those of the ones that this one started. */
  readonly tree: (toolCallId: string) => readonly string[];
  /** Forgets them: another conversation begins. */
  readonly clear: () => void;
}

/** Columns of what a call does. */
const LONGEST_CALL = 40;

/** Finished ones whose conversations are kept to be looked at. Their sessions keep all of them. */
const KEPT = 50;

interface Shown extends SubAgentView {
  readonly reader: Reader;
  ending?: string;
  /** What its call at hand does. */
  call?: string;
  turns: number;
  cost: number;
}

/** No sub-agents yet. `root`: the workspace, for short paths; `now`: a clock for times. */
export function createSubAgentViews(root: string, now: () => number): SubAgentViews {
  const all = new Map<string, Shown>();

  const begin = (event: Extract<AgentEvent, { type: "subagent_start" }>): void => {
    const { agentId: id, toolCallId, description, agent, scope } = event;
    const short = (path: string): string =>
      path === root ? "." : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
    const may = scope.write.length === 0 ? "reads" : `writes ${scope.write.map(short).join(" ")}`;
    const transcript = createTranscript();
    const shown: Shown = {
      id,
      description: agent === undefined ? description : `${agent}: ${description}`,
      toolCallId,
      transcript,
      reader: createReader(transcript, root, now),
      turns: 0,
      cost: 0,
      isRunning: () => shown.ending === undefined,
      line: () => {
        const turns = counted(shown.turns, "turn");
        const doing = shown.ending ?? shown.call ?? (shown.reader.activity() || "starting");
        return [id, may, doing, turns, ...shown.cost > 0 ? [money(shown.cost)] : []].join(" · ");
      },
    };
    all.set(id, shown);
    for (const [old, one] of all) if (all.size > KEPT && one.ending !== undefined) all.delete(old);
  };

  const take = (shown: Shown, event: AgentEvent): void => {
    shown.reader.read(event);
    if (event.type === "tool_execution_start") {
      const [title = "", ...more] = toolTitle(event.toolName, event.args, root);
      shown.call = cut(title + (more.length > 0 ? " …" : ""), LONGEST_CALL);
    } else if (event.type === "tool_execution_end") delete shown.call;
    if (event.type === "turn_end") {
      shown.turns++;
      shown.cost += event.message.usage?.cost?.total ?? 0;
    }
  };

  return {
    read(event) {
      if (event.type !== "subagent_start" && event.type !== "subagent_event" && event.type !== "subagent_end") {
        return undefined;
      }
      const shown = all.get(event.agentId);
      if (event.type === "subagent_start") begin(event);
      else if (shown && event.type === "subagent_event") take(shown, event.event);
      else if (shown && event.type === "subagent_end") {
        shown.ending = event.limit === undefined ? event.ending : `limit ${event.limit}`;
        // Its own sub-agents are in what it counted.
        if (event.totals) [shown.turns, shown.cost] = [event.totals.turns, event.totals.cost ?? 0];
      }
      return event.agentId;
    },
    list: () => [...all.values()],
    tree(toolCallId) {
      const first = [...all.values()].findLast((one) => one.toolCallId === toolCallId && !one.id.includes("."));
      if (!first) return [];
      return [...all.values()].filter(({ id }) => id === first.id || id.startsWith(`${first.id}.`)).map((one) =>
        `${"  ".repeat(one.id.split(".").length - 1)}${one.line()}`
      );
    },
    clear: () => all.clear(),
  };
}
