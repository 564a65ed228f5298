import { assertEquals } from "@std/assert";
import { complete, type Lookups } from "../../../src/cli/completion/candidates.ts";

const values = (...all: readonly string[]) => all.map((value) => ({ value }));
const LOOKUPS: Lookups = {
  sessions: () => Promise.resolve([{ value: "latest" }, { value: "01a2012f", meaning: "fix add" }]),
  models: () => Promise.resolve(values("gpt-5", "anthropic/claude-opus-4-5")),
  providers: () => Promise.resolve(values("openai", "ollama")),
  skills: () => Promise.resolve(values("/skill:review")),
  templates: () => Promise.resolve(values("/release")),
  agents: () => Promise.resolve(values("build", "explore")),
  servers: () => Promise.resolve(values("tickets")),
  files: (path) =>
    values("a.txt", "b/").map(({ value }) => ({ value: path.slice(0, path.lastIndexOf("/") + 1) + value })),
};

const CASES: readonly {
  readonly words: readonly string[];
  readonly fit: readonly string[];
  readonly paths?: string;
}[] = [
  { words: ["--mod"], fit: ["--mode", "--model"] },
  { words: ["-m", "anth"], fit: ["anthropic/claude-opus-4-5"] },
  { words: ["--model=g"], fit: ["--model=gpt-5"] },
  { words: ["--mode", "j"], fit: ["json"] },
  { words: ["--mode=j"], fit: ["--mode=json"] },
  { words: ["-r", ""], fit: ["latest", "01a2012f"] },
  { words: ["-r", "--pri"], fit: ["--print"] },
  { words: ["sessions", "sh"], fit: ["show"] },
  { words: ["sessions", "show", "0"], fit: ["01a2012f"] },
  { words: ["sessions", "show", "01a2012f", ""], fit: [] },
  { words: ["sessions", "import", ""], fit: [], paths: "files" },
  { words: ["audit", "--turn", "1", "la"], fit: ["latest"] },
  { words: ["models", "--provider", "op"], fit: ["openai"] },
  { words: ["--agent", "ex"], fit: ["explore"] },
  { words: ["--agent=b"], fit: ["--agent=build"] },
  { words: ["mcp", "test", ""], fit: ["tickets"] },
  { words: ["mcp", "test", "tickets", ""], fit: [], paths: "files" },
  { words: ["models", "--ch"], fit: ["--check"] },
  { words: ["--check"], fit: [] },
  { words: ["tool", "b"], fit: ["bash"] },
  { words: ["-C", ""], fit: [], paths: "folders" },
  { words: ["--report", "x"], fit: [], paths: "files" },
  { words: ["--allow-wr"], fit: ["--allow-write="] },
  { words: ["--allow-write=../src/"], fit: ["--allow-write=../src/a.txt", "--allow-write=../src/b/"] },
  { words: ["--allow-read=+/etc,+"], fit: ["--allow-read=+/etc,+a.txt", "--allow-read=+/etc,+b/"] },
  { words: ["--unknown=x"], fit: [] },
  { words: ["explain", "@"], fit: ["@a.txt", "@b/"] },
  { words: ["/"], fit: ["/skill:review", "/release"], paths: "files" },
  { words: ["/skill:re"], fit: ["/skill:review"] },
  { words: ["help", "sk"], fit: ["skills"] },
  { words: ["ski"], fit: ["skills"], paths: "files" },
  { words: ["say", "ski"], fit: [], paths: "files" },
  { words: ["--", "ski"], fit: [], paths: "files" },
];

for (const { words, fit, paths } of CASES) {
  Deno.test(`complete() of ${JSON.stringify(words)}`, async () => {
    const { candidates, ...rest } = await complete(words, LOOKUPS);
    assertEquals([candidates.map(({ value }) => value), rest], [[...fit], paths === undefined ? {} : { paths }]);
  });
}
