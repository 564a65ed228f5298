// A server of the stateless revision, made of the registry's own server package: at an address, or over its pipes.
import { McpServer } from "@modelcontextprotocol/server";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const [how = "stdio", file] = Deno.args;

const make = ({ era, requestInfo }) => {
  const server = new McpServer({ name: "new", version: "1" }, { capabilities: { tools: {} } });
  server.registerTool("era", { description: "Says how it is spoken to", inputSchema: z.object({}) }, () => ({
    content: [{ type: "text", text: `${era} ${requestInfo?.headers.get("x-secret") ?? "-"}` }],
  }));
  server.registerTool("wants", { description: "Needs input", inputSchema: z.object({}) }, async (_args, context) => {
    const answer = await context.mcpReq?.elicitInput?.({
      message: "?",
      requestedSchema: { type: "object", properties: {} },
    });
    return { content: [{ type: "text", text: JSON.stringify(answer) }] };
  });
  return server;
};

if (how === "stdio") serveStdio(make);
else {
  const { fetch } = createMcpHandler(make);
  Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) }, async (request) => {
    const { pathname } = new URL(request.url);
    if (file) {
      const body = await request.clone().text();
      Deno.writeTextFileSync(file, JSON.stringify([pathname, request.method, [...request.headers], body]) + "\n", {
        append: true,
      });
    }
    if (pathname === "/moved") return Response.redirect(new URL("/mcp", request.url), 307);
    if (pathname === "/away") return Response.redirect("http://localhost:9/mcp", 307);
    return await fetch(request);
  });
}
