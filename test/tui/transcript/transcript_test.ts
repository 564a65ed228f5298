import { assertEquals } from "@std/assert";
import { type Block, fixedBlock } from "../../../src/tui/widgets/block.ts";
import { themeOf } from "../../../src/tui/screen/theme.ts";
import { createTranscript } from "../../../src/tui/transcript/transcript.ts";

const LOOK = { width: 80, theme: themeOf("none"), expanded: false };

function open(line: string): Block & { finish: () => void } {
  let isDone = false;
  return { lines: () => [line], isDone: () => isDone, finish: () => void (isDone = true) };
}

Deno.test("createTranscript() lets blocks scroll away in order, each once, and keeps those behind an open one", () => {
  const transcript = createTranscript();
  const [first, second] = [open("first"), open("second")];
  transcript.add(first);
  transcript.add(second);
  second.finish();
  assertEquals(transcript.take(LOOK), { above: [], live: ["", "first", "", "second"] });
  first.finish();
  assertEquals(transcript.take(LOOK), { above: ["", "first", "", "second"], live: [] });
  assertEquals(transcript.take(LOOK), { above: [], live: [] });
});

Deno.test("createTranscript() puts no line between what belongs together, and none around nothing", () => {
  const transcript = createTranscript();
  transcript.add(fixedBlock(() => ["a"]));
  transcript.add(fixedBlock(() => ["b"], { joins: true }));
  transcript.add(fixedBlock(() => []));
  assertEquals(transcript.take(LOOK).above, ["", "a", "b"]);
});

Deno.test("createTranscript() gives the newest blocks again, whole, and keeps only so many", () => {
  const transcript = createTranscript();
  for (let at = 0; at < 1000; at++) transcript.add(fixedBlock(() => [`${at}`]));
  transcript.take(LOOK);
  assertEquals(transcript.again(LOOK, 3), ["", "998", "", "999"]);
  for (let at = 0; at < 2000; at++) transcript.add(fixedBlock(() => [`${at}`]));
  transcript.take(LOOK);
  assertEquals([transcript.again(LOOK, 1e9).length, transcript.count(), transcript.dropped()], [4000, 2000, 1000]);
});
