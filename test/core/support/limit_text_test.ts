import { assertEquals } from "@std/assert";
import { limitText } from "../../../src/core/support/limit_text.ts";

Deno.test("limitText() names the option of a limit; an unknown name is shown as it is", () => {
  assertEquals([limitText("maxTurns"), limitText("other")], ["the turn limit (--max-turns)", "the limit other"]);
});
