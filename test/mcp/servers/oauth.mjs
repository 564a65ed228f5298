// A server that wants a login: the SDK's own demo of an authorization server, with tokens that can be renewed, and beside
// it, at another port, an MCP server that asks it. Prints where both are. Lines on standard input change its mind.
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { createInterface } from "node:readline";
import express from "express";
import { DemoInMemoryAuthProvider } from "@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js";
import {
  createOAuthMetadata,
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
  mcpAuthRouter,
} from "@modelcontextprotocol/sdk/server/auth/router.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { InvalidGrantError, InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";

class Provider extends DemoInMemoryAuthProvider {
  refresh = new Map();
  seen = [];
  issue(token) {
    const refresh_token = `refresh-${randomUUID()}`;
    this.refresh.set(refresh_token, this.tokens.get(token.access_token));
    this.seen.push(token.access_token, refresh_token);
    return { ...token, refresh_token };
  }
  async exchangeAuthorizationCode(...given) {
    return this.issue(await super.exchangeAuthorizationCode(...given));
  }
  // deno-lint-ignore require-await -- rejects, and never throws at once
  async exchangeRefreshToken(_client, refreshToken) {
    const old = this.refresh.get(refreshToken);
    if (!old) throw new InvalidGrantError("no such refresh token");
    this.refresh.delete(refreshToken); // each counts once
    const access_token = `again-${randomUUID()}`;
    this.tokens.set(access_token, { ...old, token: access_token, expiresAt: Date.now() + 3600000 });
    return this.issue({ access_token, token_type: "bearer", expires_in: 3600 });
  }
  async verifyAccessToken(token) {
    return await super.verifyAccessToken(token).catch(() => {
      throw new InvalidTokenError("unknown or over");
    });
  }
}

const listen = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
const [authServer, mcpServer] = [await listen(), await listen()];
const authUrl = new URL(`http://127.0.0.1:${authServer.address().port}`);
const mcpUrl = new URL(`http://127.0.0.1:${mcpServer.address().port}/mcp`);

const provider = new Provider((resource) => resource?.href === mcpUrl.href);
const authApp = express();
authApp.use(mcpAuthRouter({ provider, issuerUrl: authUrl, scopesSupported: ["mcp:tools"] }));
authServer.on("request", authApp);

const app = express();
app.use(express.json());
app.use(mcpAuthMetadataRouter({
  oauthMetadata: createOAuthMetadata({ provider, issuerUrl: authUrl, scopesSupported: ["mcp:tools"] }),
  resourceServerUrl: mcpUrl,
  scopesSupported: ["mcp:tools"],
}));
const bearer = requireBearerAuth({
  verifier: provider,
  requiredScopes: ["mcp:tools"],
  resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(mcpUrl),
});
app.post("/mcp", bearer, async (request, response) => {
  const server = new McpServer({ name: "oauth", version: "1" });
  server.registerTool("who", { description: "Says who is logged in" }, ({ authInfo }) => ({
    content: [{ type: "text", text: `logged in with the scopes ${authInfo.scopes.join(" ")}` }],
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on("close", () => transport.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.all("/mcp", (_request, response) => response.status(405).end());
mcpServer.on("request", app);

console.log(JSON.stringify({ mcp: mcpUrl.href, auth: authUrl.href }));
createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "expire") provider.tokens.clear();
  if (line === "revoke") provider.refresh.clear();
  console.log(JSON.stringify(provider.seen));
});
