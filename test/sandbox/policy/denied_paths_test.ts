import { assertEquals, assertThrows } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { refuseKeptAround, sessionDenials } from "../../../src/sandbox/policy/denied_paths.ts";

const LINKS: Readonly<Record<string, string>> = { "/work/link": "/elsewhere/sessions" };
const realPath = (path: string): string => LINKS[path] ?? path;
const PLACES = ["/work", "/tmp/own"];

Deno.test("sessionDenials() denies the place and the name that leads there, unless tools work below it R478", () => {
  const table: readonly (readonly [kept: string, denied: string[], around: string[]])[] = [
    ["/work/.sessions", ["/work/.sessions"], []],
    ["/work/link", ["/work/link", "/elsewhere/sessions"], []],
    ["/home/me/sessions", ["/home/me/sessions"], []],
    // The workspace itself, and what is above it.
    ["/work", [], ["/work"]],
    ["/", [], ["/"]],
    ["/tmp", [], ["/tmp"]],
    ["/workshop", ["/workshop"], []],
  ];
  for (const [kept, denied, around] of table) {
    assertEquals(sessionDenials([kept], PLACES, realPath), { denied, around }, kept);
  }
});

Deno.test("refuseKeptAround() names a folder of its own where tools would reach what is kept", () => {
  const kept = sessionDenials(["/work"], PLACES, realPath);
  const granted = (path: string) => ({ all: false, list: [path] });
  refuseKeptAround(kept, [granted("/work/src")]);
  refuseKeptAround({ denied: ["/work/.sessions"], around: [] }, [granted("/work")]);
  const error = assertThrows(() => refuseKeptAround(kept, [granted("/nowhere"), granted("/work")]), UserError);
  assertEquals(error.fix, "Name a folder for sessions alone: --session-dir /work/sessions");
});
