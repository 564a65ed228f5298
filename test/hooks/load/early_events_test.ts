import { assertEquals } from "@std/assert";
import { isNeededEarly } from "../../../src/hooks/load/start_extension.ts";
import { EVENTS, isEvent } from "../../../src/hooks/events/decisions.ts";

Deno.test("docs/extensions.md names the events that come before the first request, and isNeededEarly() knows the same", () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/extensions.md", import.meta.url));
  const list = /handles an event before the first request \(([^)]*)\)/.exec(page)?.[1] ?? "";
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort();
  assertEquals([...EVENTS.keys()].filter((name) => isEvent(name) && isNeededEarly([name])).sort(), named);
  assertEquals([isNeededEarly([]), isNeededEarly(["tool_call", "context"])], [false, true]);
});
