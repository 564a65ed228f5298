import { assertEquals } from "@std/assert";
import { withServers } from "../../../src/cli/acp/sessions.ts";
import { configure } from "../../../src/config/config.ts";

Deno.test("withServers() adds a client's servers to the user's, whose names stay theirs", () => {
  const ws = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const world = { env: {}, cwd: ws, home: ws, stdinIsTerminal: false, stdoutIsTerminal: false, mayRun: true };
    const made = configure({ values: {}, words: [] }, world);
    const config = { ...made, user: { ...made.user, mcpServers: { mine: { command: "mine" } } } };
    const { config: wider, notices } = withServers(config, [
      { name: "mine", command: "theirs", args: [], env: [] },
      { name: "files", command: "/usr/bin/files", args: ["-v"], env: [{ name: "A", value: "1" }] },
      { type: "http", name: "web", url: "https://example.org/mcp", headers: [{ name: "X-A", value: "b" }] },
      { type: "sse", name: "old", url: "https://example.org/sse", headers: [] },
    ]);
    assertEquals(wider.user.mcpServers, {
      mine: { command: "mine" },
      files: { command: "/usr/bin/files", args: ["-v"], env: { A: "1" } },
      web: { url: "https://example.org/mcp", headers: { "X-A": "b" } },
    });
    assertEquals(notices.length, 2);
    assertEquals(withServers(config, []).config, config);
  } finally {
    Deno.removeSync(ws, { recursive: true });
  }
});
