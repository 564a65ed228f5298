import { assert, assertEquals, assertMatch } from "@std/assert";
import { channelOf, LOCAL_AUGMENTS, type PromptAugment } from "../../src/prompt/augment.ts";
import { compilePrompt, sectionTexts } from "../../src/prompt/compile.ts";
import { inputs, meta, tools } from "./sample.ts";

const sectionOf = (channel: string, augments = LOCAL_AUGMENTS) => {
  const found = channelOf(augments, channel);
  return found && sectionTexts(inputs({ channel: found })).get("channel_augment");
};

const ANSWERS = [
  { channel: "interactive", answer: /can answer\. Ask when/ },
  { channel: "text", answer: /^Nobody can answer: do not ask.*Only your last message/m },
  { channel: "stdin", answer: /Nobody can answer: do not ask.*Only your last message/ },
  { channel: "json", answer: /Nobody can answer: do not ask/ },
  { channel: "rpc", answer: /may stay unanswered/ },
];
for (const { channel, answer } of ANSWERS) {
  Deno.test(`LOCAL_AUGMENTS R409 ${channel} says whether anybody can answer, R408 and nothing of another channel`, () => {
    const text = sectionOf(channel) ?? "";
    assertMatch(text, /^## Interaction\n.+$/);
    assertMatch(text, answer);
    for (const other of LOCAL_AUGMENTS.filter((augment) => augment.channel !== channel)) {
      assert(text !== sectionOf(other.channel));
    }
    assert([...text].length < 260);
  });
}

const CHAT: PromptAugment = {
  channel: "chat",
  blocks: ({ audience }) => [
    { title: "Chat", content: "Short messages." },
    ...audience === "group" ? [{ title: "Group", content: "Speak when you are spoken to." }] : [],
  ],
};

Deno.test("channelOf() R407 R410 a host brings its own, with another policy for groups", () => {
  const all = [...LOCAL_AUGMENTS, CHAT];
  assertEquals(channelOf(all, "chat"), { name: "chat", blocks: [{ title: "Chat", content: "Short messages." }] });
  assertEquals(channelOf(all, "chat", { audience: "group" })?.blocks.length, 2);
  assertEquals(channelOf(LOCAL_AUGMENTS, "chat"), undefined);
  const mine: PromptAugment = { channel: "text", blocks: () => [] };
  assertEquals(channelOf([...LOCAL_AUGMENTS, mine], "text"), { name: "text", blocks: [] });
});

Deno.test("channel_augment R407 stands after the common blocks and before memory, in the dynamic half", () => {
  const channel = channelOf([CHAT], "chat", { audience: "group" });
  assert(channel);
  const all = inputs({
    channel,
    tools: tools("read", "plan_create", "todo_update"),
    blocks: [{ title: "Own", content: "x" }],
    memory: { today: "2026-03-07", longTerm: ["m"] },
  });
  const ids = [...sectionTexts(all).keys()];
  const order = ["plan_guidance", "todo_workflow", "blocks", "channel_augment", "memory_summaries"];
  assertEquals(ids.filter((id) => order.includes(id)), order);
  const { dynamic, manifest } = compilePrompt(all, meta());
  assert(dynamic.startsWith("## Chat\nShort messages.\n\n## Group\nSpeak"));
  const sources = manifest.sections.find((section) => section.id === "channel_augment")?.sources;
  assertEquals(sources?.map((source) => source.ref), ["chat:1", "chat:2"]);
});

Deno.test("channel_augment R55 nothing but the channel differs between entry points", () => {
  const [here, there] = ["interactive", "rpc"].map((name) => channelOf(LOCAL_AUGMENTS, name)).map((channel) =>
    compilePrompt(inputs(channel ? { channel } : {}), meta())
  );
  assertEquals(here?.stable, there?.stable);
  const plain = [...sectionTexts(inputs())];
  const channel = channelOf(LOCAL_AUGMENTS, "rpc");
  assert(channel);
  assertEquals([...sectionTexts(inputs({ channel }))].filter(([id]) => id !== "channel_augment"), plain);
});
