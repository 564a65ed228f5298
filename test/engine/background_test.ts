import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { textOf } from "../../src/core/message.ts";
import { until } from "../helpers/until.ts";
import { type Session, withSession } from "./world.ts";

const bash = (command: string, more: object = {}) => ({ name: "bash", args: { command, ...more } });
const background = (command: string) => bash(command, { background: true });

function results({ engine }: Session): readonly string[] {
  return engine.messages().flatMap((one) => one.role === "toolResult" ? [textOf(one.content)] : []);
}

function news({ engine }: Session): readonly string[] {
  return engine.messages().flatMap((one) =>
    one.role === "custom" && one.customType === "background" ? [textOf(one.content)] : []
  );
}

const ends = ({ events }: Session) => events.flatMap((event) => event.type === "background_end" ? [event] : []);

/** Goes on until a file is there. */
const untilThere = (name: string, then: string): string => `while [ ! -e ${name} ]; do sleep .02; done; ${then}`;

Deno.test("the end of a background command is told to the model with the results of the next call", () =>
  withSession({
    replies: [
      { calls: [background(untilThere("go", "echo three failed; exit 3"))] },
      { calls: [bash("touch go; sleep 1")], expect: ["Running in the background as b1"] },
      { text: "seen", expect: ["Background command b1 has ended with code 3", "three failed"] },
    ],
  }, async (session) => {
    assertEquals(await session.say("start"), "seen");
    assertEquals(news(session).length, 1);
    assertEquals(ends(session).map(({ id, exitCode, tail }) => [id, exitCode, tail]), [["b1", 3, "three failed"]]);
    assertEquals(session.engine.state().background.map(({ id, exitCode }) => [id, exitCode]), [["b1", 3]]);
  }));

Deno.test("an end between two runs is told with the next message, once", () =>
  withSession({
    replies: [
      { calls: [background(untilThere("go", "echo over; exit 4"))] },
      { text: "started" },
      { text: "one", expect: ["b1 has ended with code 4", "over"] },
      { text: "two" },
    ],
  }, async (session) => {
    await session.say("start");
    Deno.writeTextFileSync(`${session.ws}/go`, "");
    await until(() => ends(session).length === 1);
    assertEquals([await session.say("and?"), await session.say("more?")], ["one", "two"]);
    assertEquals(news(session).length, 1);
  }));

Deno.test("bash_output waits for the end, gives what is new, and what it told is not told again; both tools come with a command", () =>
  withSession({
    replies: [
      { calls: [background(`echo first; ${untilThere("go", "echo second; exit 5")}`)] },
      { calls: [{ name: "bash_output", args: { id: "b1" } }] },
      { calls: [bash("touch go"), { name: "bash_output", args: { id: "b1", wait: 600 } }] },
      { calls: [{ name: "bash_output", args: { id: "b1" } }, { name: "bash_output", args: { id: "b7" } }] },
      { text: "done" },
    ],
  }, async (session) => {
    const { engine } = session;
    const active = () => engine.tools().flatMap(({ name, active }) => active ? [name] : []);
    assertEquals(active(), ["read", "bash", "edit", "write"]);
    await session.say("start");
    assertEquals(active(), ["read", "bash", "edit", "write", "bash_output", "bash_stop"]);
    const [, first = "", , second = "", third, none] = results(session);
    assert(first.endsWith("[b1 is still running.]") && second.endsWith("second\n[b1 has ended with code 5.]"));
    // Each line once: on a busy machine the first one may come with the second look.
    assertEquals((first + second).split("first").length, 2);
    assertEquals(third, "(no new output)\n[b1 has ended with code 5.]");
    assertStringIncludes(none ?? "", "No background command b7");
    assertEquals(news(session), []);
  }));

Deno.test("bash_stop ends a command, which nobody tells again; a person stops one, which the model is told", () =>
  withSession({
    replies: [
      { calls: [background("exec sleep 3101"), background("exec sleep 3102")] },
      { calls: [{ name: "bash_stop", args: { id: "b1" } }] },
      { text: "one" },
      { text: "two", expect: ["b2 has ended with code 143 (it was stopped)"] },
    ],
  }, async (session) => {
    await session.say("start");
    assertStringIncludes(results(session)[2] ?? "", "b1 has ended with code 143");
    assertEquals(news(session), []);
    await session.engine.stopBackground("b2");
    assertEquals(ends(session).map(({ id, reason }) => [id, reason]), [["b1", "it was stopped"], [
      "b2",
      "it was stopped",
    ]]);
    assertEquals(await session.say("and?"), "two");
  }));

Deno.test("somebody who speaks wakes a model that waits for a command", () =>
  withSession({
    replies: [
      { calls: [background("exec sleep 3103")] },
      { calls: [{ name: "bash_output", args: { id: "b1", wait: 600 } }] },
      { text: "heard", expect: ["stop waiting"] },
    ],
  }, async (session) => {
    const { engine, events } = session;
    const run = session.say("start");
    await until(() =>
      events.some((event) => event.type === "tool_execution_start" && event.toolName === "bash_output")
    );
    await engine.steer("stop waiting");
    assertEquals(await run, "heard");
    assertStringIncludes(results(session)[1] ?? "", "b1 is still running");
  }));

Deno.test("a session does not begin to plan while a command runs in the background", () =>
  withSession(
    { replies: [{ calls: [background("exec sleep 3104")] }, { text: "started" }] },
    async ({ engine, say }) => {
      await say("start");
      const refused = await engine.startPlan().then(() => undefined, (error) => error);
      assertStringIncludes(String(refused), "b1 in the background may still write");
      assertEquals(engine.state().plan, undefined);
      await engine.stopBackground("b1");
      await engine.startPlan();
      assert(engine.state().plan);
    },
  ));

Deno.test("a session that is being closed is closed for everyone who waits for it", () =>
  withSession(
    { replies: [{ calls: [background("exec sleep 3106")] }, { text: "started" }] },
    async ({ engine, say }) => {
      await say("start");
      let isClosed = false;
      void engine.close().then(() => isClosed = true);
      await engine.close();
      assert(isClosed);
    },
  ));

Deno.test("what still runs when the session ends is ended, and that is said", async () => {
  const left: string[] = [];
  await withSession({
    replies: [{ calls: [background("exec sleep 3105")] }, { text: "started" }],
    onLeft: (line) => void left.push(line),
  }, async ({ engine, say }) => {
    await say("start");
    await engine.close();
    assertEquals(left, ["b1 ran in the background and was ended with the session: exec sleep 3105"]);
    assert(engine.state().background[0]?.exitCode !== undefined);
  });
});
