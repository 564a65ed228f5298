import type { JsonObject } from "../../core/json.ts";
import { type Capabilities, combined, isSame, joined, type SomeCapabilities } from "../capabilities/capabilities.ts";
import { knownCapabilities } from "../capabilities/known.ts";
import { type Connection, hostOf } from "./connection.ts";

/** What an endpoint takes, as far as that is known by now. */
export interface Learning {
  /** The same object until something is learned. */
  readonly takes: () => Capabilities;
  /** Learns without a refusal, for example the window that a server names. */
  readonly note: (change: SomeCapabilities) => void;
  /** A request and its repetitions. */
  readonly attempt: () => Attempt;
}

/** One request until it is taken, or refused for good. */
export interface Attempt {
  /** The longest reply of this request, where a refusal named it, tokens. */
  readonly maxTokens: () => number | undefined;
  /** Whether the pictures of the request have to be left out: the server cannot use them. */
  readonly areBadPictures: () => boolean;
  /** Whether the refusal taught something: the request is to be made again, otherwise. */
  readonly refused: (error: unknown, body: JsonObject) => Promise<boolean>;
  /** It was taken: what was learned on the way is remembered. A sentence for each thing that a person should know of it. */
  readonly taken: () => readonly string[];
}

/** A request is not made more often: each refusal has to teach something new. */
const MOST_LESSONS = 6;

/** What settings say goes before what was learned, and that before what is known and what is assumed. */
export function createLearning(connection: Connection): Learning {
  const { baseUrl, model, capabilities, memory } = connection;
  const known = { ...knownCapabilities(baseUrl, model), ...connection.known };
  let learned: SomeCapabilities | undefined;
  let all: Capabilities | undefined;

  const takes = (): Capabilities => all ??= combined(known, learned ??= memory?.recall() ?? {}, capabilities);

  function learn(change: SomeCapabilities): void {
    learned = joined(learned ?? {}, change);
    all = undefined;
  }

  return {
    takes,
    note(change) {
      if (Object.entries(change).every(([name, value]) => takes()[name as keyof Capabilities] === value)) return;
      learn(change);
      memory?.remember(change);
    },
    attempt() {
      takes(); // what earlier runs learned is there to go back to
      const before = learned;
      const clauses: string[] = [];
      const toKeep: SomeCapabilities[] = [];
      let lessons = 0;
      let maxTokens: number | undefined;
      let areBadPictures = false;
      return {
        areBadPictures: () => areBadPictures,
        maxTokens: () => maxTokens,
        async refused(error, body) {
          if (!(error instanceof Error && "status" in error && typeof error.status === "number")) return false;
          const { status } = error;
          const answer = "error" in error && error.error !== undefined ? error.error : error.message;
          const { lessonOf } = await import("./lesson.ts");
          const current = takes();
          const lesson = lessons < MOST_LESSONS
            ? lessonOf({ status, answer, body, takes: maxTokens === undefined ? current : { ...current, maxTokens } })
            : undefined;
          const isUseful = lesson !== undefined &&
            ((lesson.areBadPictures && !areBadPictures) || lesson.maxTokens !== undefined ||
              // What settings say stays.
              !isSame(combined(known, learned, lesson.change, capabilities), current));
          if (!isUseful) {
            // What the refusals seemed to teach did not help: too many requests is another matter.
            if (status !== 429 && status < 500) [learned, all] = [before, undefined];
            return false;
          }
          lessons++;
          areBadPictures ||= lesson.areBadPictures ?? false;
          maxTokens = lesson.maxTokens ?? maxTokens;
          learn(lesson.change);
          if (lesson.isKept) toKeep.push(lesson.change);
          if (lesson.clause !== undefined) clauses.push(lesson.clause);
          return true;
        },
        taken() {
          for (const change of toKeep) memory?.remember(change);
          toKeep.length = 0;
          return clauses.splice(0).map((clause) =>
            `${hostOf(baseUrl)} refused a request to ${model}: from now on ${clause}`
          );
        },
      };
    },
  };
}
