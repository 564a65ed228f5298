import { assertEquals } from "@std/assert";
import { shownSteps, type UndoStep } from "../../src/core/changes.ts";

const step = (action: UndoStep["action"], path: string, thing: UndoStep["thing"] = "file"): UndoStep => ({
  action,
  path,
  thing,
});

Deno.test("shownSteps() has a folder only where nothing in it is named, or its mode is set", () => {
  const steps = [
    step("restore", "a", "folder"),
    step("restore", "a/b", "folder"),
    step("restore", "a/b/c.txt"),
    step("restore", "a-b", "folder"),
    step("remove", "empty", "folder"),
    step("mode", "a", "folder"),
    step("remove", "link", "link"),
  ];
  assertEquals(shownSteps(steps).map(({ action, path }) => `${action} ${path}`), [
    "restore a/b/c.txt",
    "restore a-b/",
    "remove empty/",
    "mode a/",
    "remove link",
  ]);
});
