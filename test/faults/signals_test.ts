import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { until } from "../helpers/until.ts";
import { wired } from "./replies.ts";
import {
  assertSession,
  assertTidy,
  inPlace,
  inProgram,
  IS_LONG,
  type Place,
  PROGRAM,
  RETRY,
  startTask,
} from "./runs.ts";
import { seeded } from "../helpers/seeded.ts";
import { assertFiles, nextTurn, type Turn } from "./task.ts";
import { type Act, serveWire } from "./wire.ts";

const SIGNALS = [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const;

const text = (words: string): Act => ({ type: "write", bytes: new TextEncoder().encode(words) });
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const HANG: Act = { type: "hang" };
/** Left in the workspace by the command that a signal meets. */
const MARK = "running";
const WAITING: Turn = { text: "", calls: [{ name: "bash", args: { command: `echo > ${MARK}; sleep 300` } }] };

const events = (turn: Turn): readonly string[] => wired(turn, "chat", seeded(1)).events;
const whole = (turn: Turn): Act[] => [text(HEAD + events(turn).join("")), { type: "close" }];

/** Where a run can be when a signal comes: what its model does then, and how the test knows that it is there. */
const STAGES: readonly {
  readonly name: string;
  readonly acts: (turn: Turn) => readonly Act[];
  readonly isThere?: (place: Place) => boolean;
}[] = [
  { name: "while an answer is awaited", acts: () => [HANG] },
  { name: "in the head of an answer", acts: () => [text(HEAD.slice(0, 30)), HANG] },
  { name: "in the middle of an answer", acts: (turn) => [text(HEAD + events(turn).slice(0, 3).join("")), HANG] },
  { name: "at the end of an answer", acts: (turn) => [text(HEAD + events(turn).slice(0, -3).join("")), HANG] },
  { name: "while it waits to ask again", acts: () => [text("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n")] },
  {
    name: "while a command runs",
    acts: () => whole(WAITING),
    isThere: ({ ws }) => [...Deno.readDirSync(ws)].some(({ name }) => name === MARK),
  },
];

/** The turns at which it happens: the first, one in the middle, the last. */
const TURNS = [1, 5, 10] as const;

const ALL = STAGES.flatMap((stage) => TURNS.flatMap((turn) => SIGNALS.map((signal) => ({ stage, turn, signal }))));

// With all other tests each stage once, and each signal at some of them.
for (const { stage, turn, signal: [signal, code] } of ALL.filter((_, index) => IS_LONG || index % 10 === 0)) {
  Deno.test(`${signal} ${stage.name}, turn ${turn}, ends a run with ${code}, and -c completes it`, () =>
    inPlace(async (place) => {
      let requests = 0;
      let isThere = false;
      let isCalm = false;
      await using server = await serveWire(({ body }) => {
        const next = nextTurn(body, "chat");
        if (isCalm || ++requests < turn) return whole(next);
        isThere = true;
        return stage.acts(next);
      });
      const task = { place, baseUrl: `${server.origin}/v1`, api: "chat" } as const;
      const child = startTask(PROGRAM, {
        ...task,
        goesOn: false,
        retry: { ...RETRY, baseDelayMs: 60_000, maxDelayMs: 60_000 },
      });
      const output = child.output();
      await until(() => isThere && (stage.isThere?.(place) ?? true));
      // What was just written has to be on its way through the program.
      await new Promise((resolve) => setTimeout(resolve, 50));
      child.kill(signal);
      const ended = await output;
      assertEquals(ended.code, code, new TextDecoder().decode(ended.stderr));
      await assertTidy(place);
      assertSession(place, false);

      isCalm = true;
      const rest = await inProgram(PROGRAM).run({ ...task, goesOn: true });
      assertEquals(rest.ending, "done", rest.said);
      if (stage.isThere) Deno.removeSync(join(place.ws, MARK));
      assertFiles(place.ws, false);
      assertSession(place, true);
      await assertTidy(place);
    }));
}

Deno.test("every stage and every signal is met in the short run", () => {
  const short = ALL.filter((_, index) => index % 10 === 0);
  assert(STAGES.every((stage) => short.some((one) => one.stage === stage)));
  assert(SIGNALS.every((signal) => short.some((one) => one.signal === signal)));
});
