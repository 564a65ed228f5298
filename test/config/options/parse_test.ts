import { assertEquals, assertThrows } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { parseCommandLine, scopeValue } from "../../../src/config/options/parse.ts";

const GOOD = [
  { args: ["-p", "fix", "it", "@a.ts"], values: { print: true }, words: ["fix", "it", "@a.ts"] },
  { args: ["--mode=json", "x"], values: { mode: "json" }, words: ["x"] },
  { args: ["-pvC", "/tmp", "x"], values: { print: true, verbose: true, cwd: "/tmp" }, words: ["x"] },
  { args: ["--", "-p", "--model"], values: {}, words: ["-p", "--model"] },
  { args: ["5", "6"], values: {}, words: ["5", "6"] },
  { args: ["-t", "read, bash", "x"], values: { tools: ["read", "bash"] }, words: ["x"] },
  { args: ["--timeout", "2m", "--max-turns", "3"], values: { timeout: 120_000, "max-turns": 3 }, words: [] },
  {
    args: ["--append-system-prompt", "a,b", "--append-system-prompt", "c"],
    values: { "append-system-prompt": ["a,b", "c"] },
    words: [],
  },
  { args: ["-m", "a", "-m", "b"], values: { model: "b" }, words: [] },
];

for (const { args, values, words } of GOOD) {
  Deno.test(`parseCommandLine() reads ${JSON.stringify(args)}`, () => {
    assertEquals(parseCommandLine(args), { values, words });
  });
}

const BAD = [
  { args: ["--modle", "x"], what: "Unknown option --modle", fix: "--model" },
  { args: ["--alow-write=x"], what: "Unknown option --alow-write", fix: "--allow-write" },
  { args: ["--model"], what: "--model needs a value", fix: "--model ID" },
  { args: ["--mode", "jsno"], what: "--mode jsno is not known", fix: "--mode json" },
  { args: ["--max-turns", "many"], what: "--max-turns many is not usable", fix: "--max-turns N" },
  { args: ["--timeout", "soon"], what: "--timeout soon is not a duration", fix: "10m" },
  { args: ["-Z"], what: "Unknown option -Z", fix: "--help" },
  {
    args: ["--read-only", "--allow-write"],
    what: "--read-only and --allow-write contradict each other",
    fix: "Leave out --read-only",
  },
  {
    args: ["prompt", "--allow-run=git", "--read-only"],
    what: "--read-only and --allow-run contradict each other",
    fix: "or --allow-run to allow none",
  },
  { args: ["--profile", "ful"], what: "--profile ful is not known", fix: "--profile full" },
];

for (const { args, what, fix } of BAD) {
  Deno.test(`parseCommandLine() refuses ${JSON.stringify(args)} and says what to do R43`, () => {
    const error = assertThrows(() => parseCommandLine(args), UserError);
    assertEquals([error.what, error.fix.includes(fix), error.exitCode], [what, true, 2]);
  });
}

Deno.test("parseCommandLine() takes a command and its own options", () => {
  assertEquals(parseCommandLine(["prompt", "--json", "-C", "/x"]), {
    command: "prompt",
    values: { json: true, cwd: "/x" },
    words: [],
  });
});

const SCOPES: readonly { args: string[]; expected: "all" | string[] | undefined }[] = [
  { args: ["--allow-read"], expected: "all" },
  { args: ["--allow-read", "word"], expected: "all" },
  { args: ["--allow-read=/a,b"], expected: ["/a", "b"] },
  { args: ["--allow-read=/a", "--allow-read=b"], expected: ["/a", "b"] },
  { args: ["--allow-read=/a,,b"], expected: ["/a,b"] },
  { args: ["--allow-read=/a,,,/b"], expected: ["/a,", "/b"] },
  { args: ["--allow-read=/a,,,,b,c"], expected: ["/a,,b", "c"] },
  { args: ["x"], expected: undefined },
];

for (const { args, expected } of SCOPES) {
  Deno.test(`scopeValue() of ${JSON.stringify(args)}`, () => {
    assertEquals(scopeValue(parseCommandLine(args).values, "allow-read"), expected);
  });
}

Deno.test("parseCommandLine() does not take the word behind a bare scope option for its value", () => {
  assertEquals(parseCommandLine(["--allow-net", "task"]).words, ["task"]);
});

const MEANT = [
  { args: ["sessoins"], fix: "sandpiper sessions?" },
  { args: ["skill"], fix: "sandpiper skills?" },
  { args: ["sessoins", "list"], fix: "sandpiper sessions?" },
  { args: ["-p", "docter"], fix: "sandpiper doctor?" },
  { args: ["hlep"], fix: "sandpiper help?" },
  { args: ["help", "sessoins"], fix: "sandpiper help sessions?" },
  { args: ["upgrade"], fix: "sandpiper update says" },
  { args: ["-v", "update"], fix: "sandpiper update" },
  { args: ["config"], fix: "sandpiper --help" },
  { args: ["-C", "/x", "sessions"], fix: "sandpiper sessions" },
  { args: ["-q", "sessions", "list"], fix: "sandpiper sessions" },
  { args: ["-v", "tool", "read", "{}"], fix: "sandpiper tool" },
  { args: ["--model", "x", "tool", "bash", "--", "ls", "-la"], fix: "sandpiper tool" },
  { args: ["-v", "prompt", "--", "x", "y"], fix: "sandpiper prompt" },
  { args: ["help", "nosuch"], fix: "sandpiper help lists the commands. For a message: sandpiper -- help nosuch" },
  { args: ["help", "optiosn"], fix: "sandpiper help" },
  { args: ["--json", "sessions"], fix: "sandpiper sessions --json" },
  { args: ["--format=md", "sessions", "export", "abc"], fix: "sandpiper sessions --format" },
];
for (const { args, fix } of MEANT) {
  Deno.test(`parseCommandLine() sends ${JSON.stringify(args)} to no model and names the command`, () => {
    const error = assertThrows(() => parseCommandLine(args), UserError);
    assertEquals([error.fix.includes(fix), error.exitCode], [true, 2], error.fix);
  });
}

const MESSAGES = [
  ["fix", "the", "tests"],
  ["-p", "audit", "the", "code", "for", "races"],
  ["-p", "prompt the user for a name"],
  ["update", "the", "docs"],
  ["help", "me", "with", "this"],
  ["hello"],
  ["refactor"],
  ["sesion", "handling", "is", "broken"],
  ["--", "sessions"],
  ["-p", "--", "update"],
  ["look"],
];
for (const args of MESSAGES) {
  Deno.test(`parseCommandLine() takes ${JSON.stringify(args)} for a message`, () => {
    const { command, words } = parseCommandLine(args);
    assertEquals([command, words], [undefined, args.filter((word) => !word.startsWith("-"))]);
  });
}

Deno.test("parseCommandLine() takes update for a command where no word follows it", () => {
  for (const args of [["update"], ["update", "--json"], ["update", "-C", "/x"]]) {
    assertEquals([parseCommandLine(args).command, parseCommandLine(args).words], ["update", []]);
  }
});

Deno.test("parseCommandLine() answers help and version in words", () => {
  assertEquals(parseCommandLine(["help"]), { values: { help: true }, words: [] });
  assertEquals(parseCommandLine(["help", "help"]), { values: { help: true }, words: [] });
  assertEquals(parseCommandLine(["help", "sessions"]), { command: "sessions", values: { help: true }, words: [] });
  for (const args of [["help", "all"], ["help", "options"], ["--help", "all"], ["all", "-h"]]) {
    assertEquals(parseCommandLine(args), { command: "all", values: { help: true }, words: [] });
  }
  assertEquals(parseCommandLine(["version"]), { values: { version: true }, words: [] });
});

Deno.test("parseCommandLine() takes -r without a value where nothing, or an option, follows it", () => {
  const cases = [
    [["-r"], "", []],
    [["-p", "task", "--resume"], "", ["task"]],
    [["-r", "-p", "task"], "", ["task"]],
    [["-r", "--", "task"], "", ["task"]],
    [["-r", "01a2", "task"], "01a2", ["task"]],
    [["--resume=01a2"], "01a2", []],
  ] as const;
  for (const [args, resume, words] of cases) {
    const parsed = parseCommandLine([...args]);
    assertEquals([parsed.values["resume"], parsed.words], [resume, [...words]]);
  }
  assertThrows(() => parseCommandLine(["--resume="]), UserError, "--resume needs a value");
});
