import { assertEquals, assertThrows } from "@std/assert";
import { SETTINGS } from "../../../src/config/settings/settings_table.ts";
import { UserError } from "../../../src/core/error.ts";
import { keyBindings, KEYS, type OwnKeys } from "../../../src/tui/widgets/key_bindings.ts";

Deno.test("keyBindings() takes the table where the person says nothing", () => {
  const keys = keyBindings();
  assertEquals([keys.of("newLine"), keys.shown("newLine"), keys.shown("undo")], [
    ["shift+enter", "ctrl+j"],
    "Shift+Enter",
    "Ctrl+-",
  ]);
  assertEquals(keys.rows.map((row) => row.keys).slice(0, 3), ["Enter", "Alt+Enter", "Shift+Enter, Ctrl+J"]);
});

Deno.test("keyBindings() puts the person's keys in place of the table's, in help too", () => {
  const keys = keyBindings({ expand: "Alt+E", model: ["f2", "shift+ctrl+m"], thinking: [], undo: "ctrl+o" });
  assertEquals(keys.of("expand"), ["alt+e"]);
  assertEquals(keys.of("model"), ["f2", "ctrl+shift+m"]);
  assertEquals([keys.of("thinking"), keys.shown("thinking")], [[], undefined]);
  const help = keys.rows.map((row) => row.keys);
  assertEquals(["Alt+E", "F2, Ctrl+Shift+M", "Ctrl+O", "Shift+Tab"].map((key) => help.includes(key)), [
    true,
    true,
    true,
    false,
  ]);
});

const REFUSED: readonly (readonly [OwnKeys, string])[] = [
  [{ expand: "hyper+o" }, "that is no key"],
  [{ expand: "ctrl+" }, "that is no key"],
  [{ expand: "" }, "that is no key"],
  [{ expand: "ctrl+escape2" }, "that is no key"],
  [{ expand: "o" }, "it is needed for writing"],
  [{ expand: "shift+o" }, "it is needed for writing"],
  [{ expand: "space" }, "it is needed for writing"],
  [{ expand: "left" }, "it is needed for writing"],
  [{ expand: "ctrl+c" }, "that key is fixed"],
  [{ expand: "enter" }, "that key is fixed"],
  [{ undo: "ctrl+o" }, 'it is already a key of "expand"'],
];

for (const [own, why] of REFUSED) {
  Deno.test(`keyBindings() refuses ${JSON.stringify(own)}: ${why}`, () => {
    assertEquals(assertThrows(() => keyBindings(own), UserError).why, why);
  });
}

Deno.test("the setting keybindings knows the actions of the table, and only the user's own file may set it", () => {
  const { shape, userOnly } = SETTINGS.keybindings;
  assertEquals(
    Object.keys(shape.properties).sort(),
    KEYS.flatMap(({ action }) => action ? [action as string] : []).sort(),
  );
  assertEquals(userOnly, true);
});
