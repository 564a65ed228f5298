import { assertEquals } from "@std/assert";
import type { McpTool } from "../../src/mcp/open.ts";
import { searchTools } from "../../src/mcp/search_tools.ts";

const tool = (server: string, name: string, description: string): McpTool => ({
  name: `mcp__${server}__${name}`,
  server,
  exposure: "search",
  description: `(MCP server "${server}") ${description}`,
  parameters: {},
  issues: () => [],
  run: () => Promise.resolve({ content: [] }),
});

const TOOLS = [
  tool("calendar", "createEvent", "Adds an event to a calendar"),
  tool("calendar", "deleteEvent", "Takes an event out"),
  tool("github", "create_issue", "Opens an issue in a repository"),
  tool("github", "list_issues", "Lists issues of a repository"),
  tool("github", "merge_pull_request", "Merges a pull request"),
  tool("files", "read_file", "Reads a file"),
];

const CASES = [
  { query: "merging pull requests", first: "mcp__github__merge_pull_request" },
  { query: "create issue", first: "mcp__github__create_issue" },
  { query: "new calendar event: create it", first: "mcp__calendar__createEvent" },
  { query: "READ", first: "mcp__files__read_file" },
  { query: "mcp__github__list_issues", first: "mcp__github__list_issues" },
  { query: "zeppelin", first: undefined },
  { query: "the of a", first: undefined },
  { query: "", first: undefined },
] as const;

for (const { query, first } of CASES) {
  Deno.test(`searchTools() finds ${first ?? "nothing"} for "${query}"`, () => {
    assertEquals(searchTools(query, TOOLS).best[0]?.name, first);
  });
}

Deno.test("searchTools() takes exact names as those tools alone, and gives five with the names of some others", () => {
  const two = searchTools("mcp__files__read_file, mcp__github__create_issue", TOOLS);
  assertEquals([two.best.map(({ name }) => name), two.others], [
    ["mcp__github__create_issue", "mcp__files__read_file"],
    [],
  ]);
  const many = Array.from({ length: 40 }, (_, at) => tool("many", `note_${at}`, "Writes notes"));
  const { best, others } = searchTools("note", many);
  assertEquals([best.length, others.length], [5, 15]);
});
