// Small parts of the screen, each by a table.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ago, count, duration, money } from "../../src/tui/blocks/amounts.ts";
import { toolTitle } from "../../src/tui/blocks/tool_title.ts";
import { firstStartLines } from "../../src/tui/view/first_start.ts";
import { footerLines } from "../../src/tui/view/footer.ts";
import { highlight } from "../../src/tui/blocks/highlight.ts";
import { imagePaths } from "../../src/tui/input/image_paths.ts";
import { saidText } from "../../src/tui/blocks/said.ts";
import { sandboxGlance } from "../../src/tui/options/sandbox_glance.ts";
import { chooseTheme, themeOf } from "../../src/tui/screen/theme.ts";
import { POLICY, STATE } from "./scripted_engine.ts";

// deno-lint-ignore no-control-regex -- styles
const bare = (text: string): string => text.replace(/\x1b\[[0-9;]*m/g, "");

Deno.test("sandboxGlance() says level, write and net, and what is open aloud", () => {
  const cases = [
    [POLICY, "▣ kernel · write: . · net: off"],
    [{ ...POLICY, write: { all: false, list: [] } }, "▣ kernel · write: off · net: off"],
    [{ ...POLICY, write: { all: false, list: ["/w/app", "/home/ann/x"] } }, "▣ kernel · write: ., ~/x · net: off"],
    [{ ...POLICY, write: { all: false, list: ["/w/app", "/a", "/b"] } }, "▣ kernel · write: ., +2 · net: off"],
    [{ ...POLICY, write: { all: true, list: [] }, net: { all: true, list: [] } }, "▣ kernel · write: ALL · net: ALL"],
    [
      { ...POLICY, net: { all: false, list: ["a.org"] }, sandbox: "kernel+" as const },
      "▣ kernel+ · write: . · net: a.org",
    ],
    [{ ...POLICY, run: { all: false, list: ["/usr/bin/git"] } }, "▣ kernel · write: . · net: off · run: git"],
    [{ ...POLICY, sandbox: "off" as const }, "▢ NO SANDBOX · write: . · net: off"],
    [{ ...POLICY, weaknesses: [] }, "▣ kernel · write: . · net: off"],
    [{ ...POLICY, weaknesses: ["signals get out"] }, "▣ kernel (weaker) · write: . · net: off"],
  ] as const;
  for (const [policy, text] of cases) assertEquals(sandboxGlance(policy), text);
});

Deno.test("footerLines() fits its width and says folder, branch, model, thinking, tokens, cache, cost and context", () => {
  const state = {
    ...STATE,
    cwd: "/home/ann/app",
    sessionName: "add",
    thinking: "high" as const,
    context: { tokens: 25_000, contextWindow: 100_000 },
    totals: { ...STATE.totals, input: 2000, cacheRead: 8000, output: 300, cost: 0.0421 },
  };
  assertEquals(
    footerLines(state, "main", { width: 80, theme: themeOf("none"), expanded: false }).map(bare),
    [
      "~/app (main) · add                                              p/model-1 · high",
      "▣ kernel · write: . · net: off         ↑10k ↓300 · cache 80% · $0.042 · 75% left",
    ],
  );
  const [first] = footerLines({ ...state, agent: "reviewer" }, "main", {
    width: 80,
    theme: themeOf("none"),
    expanded: false,
  });
  assertEquals(bare(first ?? ""), "~/app (main) · add                             agent reviewer · p/model-1 · high");
  for (const width of [10, 40, 80, 200]) {
    for (const line of footerLines(state, "main", { width, theme: themeOf("dark"), expanded: false })) {
      assert(bare(line).length <= width, bare(line));
    }
  }
});

Deno.test("duration(), count(), money() and ago() are short", () => {
  assertEquals([450, 9999, 12_000, 185_000, 3_720_000].map(duration), ["0.4s", "9.9s", "12s", "3m 05s", "1h 02m"]);
  assertEquals([0, 999, 1234, 34_400, 1_250_000].map(count), ["0", "999", "1.2k", "34k", "1.3M"]);
  assertEquals([0.0421, 3.456].map(money), ["$0.042", "$3.46"]);
  assertEquals([5000, 120_000, 7_200_000, 400_000_000].map(ago), ["just now", "2 min ago", "2 h ago", "4 days ago"]);
});

Deno.test("toolTitle() says the command, or the tool and its path", () => {
  const cases = [
    ["bash", { command: "ls\n-la" }, ["$ ls", "-la"]],
    ["bash", { command: "a\nb\nc\nd\ne" }, ["$ a", "b", "c", "d", "e"]],
    ["read", { path: "/w/app/src/a.ts", offset: 5, limit: 10 }, ["read src/a.ts 5–14"]],
    ["edit", { path: "/etc/hosts" }, ["edit /etc/hosts"]],
    ["grep", { pattern: "x", path: "/w/app" }, ["grep x in ."]],
    ["my_tool", { a: 1 }, ['my_tool {"a":1}']],
  ] as const;
  for (const [name, args, title] of cases) assertEquals<readonly string[]>(toolTitle(name, args, "/w/app"), title);
});

Deno.test("imagePaths() finds pictures as typed, quoted and dropped", () => {
  assertEquals(
    imagePaths("see shot.png and @a/b.jpg, '/tmp/my shot.webp' \"c d.gif\" /tmp/with\\ space.png x.txt shot.png"),
    [
      "shot.png",
      "/tmp/my shot.webp",
      "c d.gif",
      "/tmp/with space.png",
    ],
  );
});

Deno.test("highlight() changes no text", () => {
  const code = 'const a = "b"; // c\n# not a comment\nlet d = `e` + 1.5;\n/* f */ x';
  for (const lang of ["ts", "py", "sh", "diff", "", "unknown"]) {
    assertEquals(highlight(code, lang, themeOf("dark")).map(bare).join("\n"), code);
  }
  assertEquals(highlight("# a", "py", themeOf("dark"))[0], "\x1b[90m# a\x1b[39m");
});

Deno.test("chooseTheme() heeds NO_COLOR, the setting and the ground", () => {
  const cases = [
    [undefined, {}, "dark"],
    ["light", {}, "light"],
    ["light", { NO_COLOR: "1" }, "none"],
    ["light", { NO_COLOR: "" }, "light"],
    [undefined, { TERM: "dumb" }, "none"],
    [undefined, { COLORFGBG: "0;15" }, "light"],
    ["dark", { COLORFGBG: "0;15" }, "dark"],
  ] as const;
  for (const [setting, env, name] of cases) assertEquals(chooseTheme(setting, env).name, name);
});

Deno.test("firstStartLines() fits a screen of 24 rows, however many providers there are", () => {
  const list = Array.from(
    { length: 30 },
    (_, at) => `    --model provider-${at}/       export PROVIDER_${at}_API_KEY=…`,
  );
  const head =
    "Set one of these variables, or start one of these servers, and name the provider (sandpiper demo needs neither):";
  const fix = [head, ...list].join("\n");
  const problem = { what: "No model is chosen", why: 'neither --model nor the setting "model" names one', fix };
  const settingsFile = "/home/ann/.sandpiper/agent/settings.json";
  const start = { problem, offers: [], settingsFile, version: "1", theme: themeOf("none") };
  const lines = firstStartLines(start, 80).map(bare);
  assert(lines.length < 24, String(lines.length));
  assertStringIncludes(lines.join("\n"), "… and 24 more: sandpiper doctor");
});

Deno.test("firstStartLines() says what is missing and how to mend it", () => {
  const problem = { what: "No model is chosen", why: "none is named", fix: "Add --model ID" };
  const start = { problem, offers: [], settingsFile: "~/s.json", version: "1", theme: themeOf("none") };
  const lines = firstStartLines(start, 80).map(bare);
  assertEquals(lines.slice(0, 4), ["sandpiper 1", "", "No model is chosen: none is named.", "Add --model ID"]);
  assert(lines.some((line) => line.includes("~/s.json")) && lines.some((line) => line.startsWith("d  try the demo")));
});

Deno.test("firstStartLines() offers what was found, each with a key of its own", () => {
  const problem = { what: "No model is chosen", why: "none is named", fix: "not shown" };
  const offers = [{ name: "anthropic/a", because: "ANTHROPIC_API_KEY is set" }, {
    name: "ollama/b",
    because: "it answers",
  }];
  const start = { problem, offers, settingsFile: "~/s.json", version: "1", theme: themeOf("none") };
  const lines = firstStartLines(start, 80).map(bare);
  assertEquals(lines.filter((line) => /^[12] /.test(line)), ["1  start with anthropic/a", "2  start with ollama/b"]);
  assert(lines.includes("  anthropic/a  ANTHROPIC_API_KEY is set"));
  assert(!lines.includes("not shown"));
  const says = (text: string, keptIn?: string): boolean =>
    firstStartLines({ ...start, keptIn }, 80).map(bare).join("\n").includes(text);
  assert(says("Settings\n  The model that you choose is saved in ~/s.json", "~/s.json"));
  // Where nothing is kept the screen does not say so.
  assert(!says("is saved") && says('{"model": "PROVIDER/ID"}'));
});

Deno.test("saidText() names a called skill and leaves everything else alone", () => {
  const skill = '<skill name="review" location="/s/SKILL.md">\nReferences are relative to /s.\n\nBody\n</skill>';
  const cases = [
    [skill, "/skill:review"],
    [`${skill}\n\nthe diff\nof today`, "/skill:review the diff\nof today"],
    ['<skill name="review">', '<skill name="review">'],
    [`look: ${skill}`, `look: ${skill}`],
    ["plain", "plain"],
  ] as const;
  for (const [text, said] of cases) assertEquals(saidText(text), said);
});
