import { assertEquals, assertRejects } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { chooseSession } from "../../../src/tui/commands/resume.ts";
import type { SessionLine, SessionShelf } from "../../../src/tui/commands/command.ts";
import { createDialogs } from "../../../src/tui/dialogs/dialogs.ts";
import { plainPick } from "../../../src/tui/plain/pick.ts";
import { themeOf } from "../../../src/tui/screen/theme.ts";
import { until } from "../../helpers/until.ts";

const LOOK = { width: 80, rows: 24, theme: themeOf("none"), expanded: false };
// deno-lint-ignore no-control-regex -- styles
const bare = (line: string): string => line.replace(/\x1b\[[0-9;]*m/g, "").trimEnd();
const line = (which: string, firstMessage: string): SessionLine => ({
  which,
  firstMessage,
  messageCount: 2,
  modified: 0,
});

/** Sessions in memory: what is deleted is gone. */
function shelfOf(...texts: readonly string[]) {
  let lines = texts.map((text, at) => line(`id${at}`, text));
  const deeds: string[] = [];
  const shelf: SessionShelf = {
    sessions: () => Promise.resolve(lines),
    searchSessions: (text) =>
      Promise.resolve(
        lines.filter(({ firstMessage }) => firstMessage.includes(text)).map((one) => ({
          ...one,
          found: `user: ${text}`,
        })),
      ),
    deleteSession(which) {
      if (which === "id0") {
        return Promise.reject(new UserError({ what: "Cannot open session", why: "it is open", fix: "Close it" }));
      }
      deeds.push(`delete ${which}`);
      lines = lines.filter((one) => one.which !== which);
      return Promise.resolve();
    },
    renameSession(which, name) {
      deeds.push(`rename ${which} ${name}`);
      return Promise.resolve();
    },
    now: () => 60_000,
  };
  return { shelf, deeds };
}

function opened(shelf: SessionShelf) {
  const said: string[] = [];
  const dialogs = createDialogs(() => {}, { text: () => "", setText: () => {} }, () => 0);
  const chosen = chooseSession(shelf, dialogs.pick, (text) => said.push(text));
  const lines = (): string[] => (dialogs.current()?.lines(LOOK) ?? []).map(bare);
  return {
    said,
    chosen,
    lines,
    async press(title: string, ...keys: readonly string[]) {
      await until(() => lines()[0]?.startsWith(title) ?? false, () => lines().join("\n"));
      for (const key of keys) dialogs.current()?.key(key);
    },
  };
}

Deno.test("chooseSession() gives what is chosen, and nothing to who leaves", async () => {
  const { shelf } = shelfOf("build it", "test it");
  const list = opened(shelf);
  await list.press("Resume a session", "\x1b[B");
  assertEquals(list.lines(), [
    "Resume a session",
    "search:",
    "  build it  2 messages, 1 min ago",
    "❯ test it  2 messages, 1 min ago",
    "↑↓ choose · Enter takes it · Ctrl+R name · Ctrl+D delete · Esc leaves",
  ]);
  await list.press("Resume a session", "\r");
  assertEquals(await list.chosen, "id1");
  const left = opened(shelf);
  await left.press("Resume a session", "\x1b");
  assertEquals(await left.chosen, undefined);
  const none = await assertRejects(() => opened(shelfOf().shelf).chosen, UserError, "nothing to resume");
  assertEquals(none.fix, "Leave --resume out, or name another workspace with -C DIR");
});

Deno.test("chooseSession() searches in what was said; Esc goes back to all of them", async () => {
  const list = opened(shelfOf("build it", "the long test").shelf);
  await list.press("Resume a session", ..."zeppelin", "\r");
  await until(() => list.lines()[0]?.endsWith("none") ?? false, () => list.lines().join("\n"));
  assertEquals(list.lines().at(-1), "Enter takes it · Esc shows all sessions");
  await list.press("Sessions with “zeppelin”: none", "\x1b");
  await list.press("Resume a session", ..."long te", "\x1b[B", "\r");
  await list.press("Sessions with “long te”");
  assertEquals(list.lines()[2], "❯ the long test: user: long te  2 messages, 1 min ago");
  await list.press("Sessions with", "\r");
  assertEquals(await list.chosen, "id1");
});

Deno.test("chooseSession() names and deletes, asks before it deletes, and stays where it cannot", async () => {
  const { shelf, deeds } = shelfOf("open elsewhere", "old");
  const list = opened(shelf);
  await list.press("Resume a session", "\x1b[B", "\x12");
  await list.press("A name for “old”");
  assertEquals(list.lines()[1], "name:");
  await list.press("A name for “old”", ..."new name", "\r");
  await list.press("Resume a session", "\x1b[B", "\x04");
  await list.press("Delete “old”", "\r");
  await list.press("Resume a session", "\x1b[B", "\x04");
  await list.press("Delete “old”", "\x1b[B", "\r");
  await list.press("Resume a session", "\x04");
  await list.press("Delete “open elsewhere”", "\x1b[B", "\r");
  await until(() => list.said.length > 0, () => "nothing was said");
  await list.press("Resume a session", "\x1b");
  assertEquals(await list.chosen, undefined);
  assertEquals(deeds, ["rename id1 new name", "delete id1"]);
  assertEquals(list.said, ["Cannot open session: it is open. Close it"]);
});

Deno.test("plainPick() lets one choose a session by its number, or search by words", async () => {
  const printed: string[] = [];
  const answers = ["long", "1"];
  const chosen = await chooseSession(
    shelfOf("build it", "the long test").shelf,
    (title, choices, options = {}) =>
      plainPick(
        title,
        choices,
        options,
        (text) => printed.push(text),
        (take) => queueMicrotask(() => take(answers.shift() ?? "")),
      ),
    () => {},
  );
  assertEquals(chosen, "id1");
  assertEquals(printed.map((text) => text.split("\n").at(-1)), [
    "Write a number, or words: search in what was said; an empty line leaves.",
    "Write a number, or words: search in what was said; an empty line leaves.",
  ]);
});
