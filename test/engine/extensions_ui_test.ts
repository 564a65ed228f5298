import { assertEquals, assertRejects } from "@std/assert";
import { announcedUi } from "../../src/engine/host_actions.ts";
import type { HostCall, HostUi } from "../../src/core/host_actions.ts";

const CALL: HostCall = { extension: "x", signal: new AbortController().signal };

function world(): { readonly ui: HostUi; readonly log: string[] } {
  const log: string[] = [];
  const asked = (name: string, value: string): void => void log.push(`${name} ${value}`);
  const ui: HostUi = {
    select: (title, options) => (asked("select", title), Promise.resolve(options[0])),
    confirm: () => Promise.reject(new Error("the screen is gone")),
    input: (title, placeholder) => (asked("input", title), Promise.resolve(placeholder)),
    notify: (message) => Promise.resolve(asked("notify", message)),
    setStatus: (key) => Promise.resolve(asked("status", key)),
  };
  return { ui: announcedUi(ui, ({ type, kind, title }) => log.push(`${type} ${kind} ${title}`)), log };
}

Deno.test("announcedUi() tells of a question before it is asked and when it is answered, and gives the answer", async () => {
  const { ui, log } = world();
  assertEquals(await ui.select("Which?", ["red", "blue"], {}, CALL), "red");
  assertEquals(await ui.input("Name?", "Ann", {}, CALL), "Ann");
  assertEquals(log, [
    "ui_prompt_start select Which?",
    "select Which?",
    "ui_prompt_end select Which?",
    "ui_prompt_start input Name?",
    "input Name?",
    "ui_prompt_end input Name?",
  ]);
});

Deno.test("announcedUi() tells the end of a question that failed", async () => {
  const { ui, log } = world();
  await assertRejects(() => ui.confirm("Sure?", "Really?", {}, CALL), Error, "the screen is gone");
  assertEquals(log, ["ui_prompt_start confirm Sure?", "ui_prompt_end confirm Sure?"]);
});

Deno.test("announcedUi() tells nothing of what is no question", async () => {
  const { ui, log } = world();
  await ui.notify("hello", "info", CALL);
  await ui.setStatus("k", "v", CALL);
  assertEquals(log, ["notify hello", "status k"]);
});
