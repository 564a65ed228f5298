import { assertEquals, assertThrows } from "@std/assert";
import { attempt, ifThere } from "../../../src/core/support/attempt.ts";

const HERE = import.meta.dirname ?? "";
const NONE = `${HERE}/there-is-none`;

Deno.test("attempt() gives what the work gives, and undefined for whatever it throws", () => {
  assertEquals([attempt(() => 1), attempt(() => JSON.parse("{")), attempt(() => Deno.lstatSync(NONE))], [
    1,
    undefined,
    undefined,
  ]);
});

Deno.test("ifThere() gives undefined for what is not there, and throws everything else", () => {
  assertEquals([ifThere(() => 1), ifThere(() => Deno.readTextFileSync(NONE))], [1, undefined]);
  assertThrows(() => ifThere(() => JSON.parse("{")), SyntaxError);
  assertThrows(() => ifThere(() => Deno.readTextFileSync(HERE)), Error, "Is a directory");
});
