// One seed is one schedule: a task of ten turns, what happens to each reply of its model, and what must be there afterwards.
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Program } from "../helpers/program.ts";
import { endings, serveFaulty } from "./faulty_model.ts";
import { assertSession, assertTidy, inPlace, inProcess, inProgram, KEY, RETRY } from "./runs.ts";
import { seeded } from "../helpers/seeded.ts";
import { type Api, assertFiles, DONE } from "./task.ts";

/** Runs one schedule to its end, in this process or in a program of its own, and throws for whatever is not as it has to be. */
export async function runSchedule(seed: number, program?: Program): Promise<void> {
  const random = seeded(seed);
  const api: Api = random.chance(0.25) ? "responses" : "chat";
  const calmShare = random.next() * 0.8;
  using clock = openClock();
  await inPlace(async (place) => {
    const host = program === undefined ? inProcess() : inProgram(program);
    await using server = await serveFaulty({
      random,
      api,
      calmShare,
      // The clock of another process cannot be set.
      ...(program === undefined ? {} : { without: ["a clock that jumps"] }),
      jump: clock.jump,
      onHang: host.stop,
    });
    const { baseUrl, happened, complaints } = server;
    try {
      const came = await host.run({ place, baseUrl, api, goesOn: false });
      await assertTidy(place);
      assertEquals(complaints, []);
      const expected = endings(happened, RETRY.maxRetries);
      assert(
        expected.has(came.ending === "aborted" ? "hang" : came.ending),
        `${came.ending}, expected ${[...expected]}`,
      );
      assert(!came.said.includes(KEY), came.said);
      if (came.ending === "done") assertFiles(place.ws, true);
      if (came.ending === "error") assertMatch(came.said, /127\.0\.0\.1:\d+|content filter/);
      assertSession(place, came.ending === "done");

      server.calm();
      const rest = await host.run({ place, baseUrl, api, goesOn: true });
      assertEquals([rest.ending, rest.said.endsWith(DONE), complaints], ["done", true, []], rest.said);
      // Only a stop can have met a command that was running.
      assertFiles(place.ws, came.ending !== "aborted");
      assertSession(place, true);
      await assertTidy(place);
    } catch (error) {
      const course = happened.map(({ name }) => name).join(", ");
      throw new Error(`seed ${seed}${program ? `, ${program.name}` : ""} (${api}): ${course}`, { cause: error });
    }
  });
}

/** A clock that can be set; closing it sets it right. */
function openClock(): Disposable & { readonly jump: (ms: number) => void } {
  const real = Date.now;
  let ahead = 0;
  return {
    jump(ms) {
      ahead += ms;
      Date.now = () => real() + ahead;
    },
    [Symbol.dispose]: () => void (Date.now = real),
  };
}
