import * as acp from "@agentclientprotocol/sdk";
import { type Program, type RunOptions, start } from "../helpers/program.ts";

/** How a client answers a permission request. */
export type Answerer = (request: acp.RequestPermissionRequest) => acp.RequestPermissionOutcome | Promise<never>;

/** The client side of the protocol's own package, over real pipes to the real program. */
export interface AcpClient {
  readonly agent: acp.ClientContext;
  readonly updates: readonly acp.SessionUpdate[];
  readonly permissions: readonly acp.RequestPermissionRequest[];
  /** Every line of standard output so far. */
  readonly lines: readonly string[];
  /** Waits for the first update from `from` on that fits. */
  wait(fits: (update: acp.SessionUpdate) => boolean, from?: number): Promise<acp.SessionUpdate>;
  signal(name: Deno.Signal): void;
  /** Closes the program's standard input and waits for its end. */
  leave(): Promise<{ readonly code: number; readonly stderr: string }>;
}

/** Longest wait for one update, milliseconds. */
const WAIT_MS = 40_000;

/** Starts `sandpiper acp`; `await using` ends it. */
export function acpClient(
  program: Program,
  args: readonly string[],
  options: RunOptions & { readonly answer?: Answerer },
): AcpClient & AsyncDisposable {
  const { answer = () => ({ outcome: "cancelled" }), ...runOptions } = options;
  const child = start(program, ["acp", ...args], { ...runOptions, stdin: "" });
  const [protocol, copy] = child.stdout.tee();
  const lines: string[] = [];
  const copying = (async () => {
    let rest = "";
    for await (const text of copy.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts);
    }
    if (rest !== "") lines.push(rest);
  })();
  const stderr = new Response(child.stderr).text();
  const updates: acp.SessionUpdate[] = [];
  const permissions: acp.RequestPermissionRequest[] = [];
  const connection = acp.client({ name: "test" })
    .onNotification("session/update", ({ params }) => void updates.push(params.update))
    .onRequest("session/request_permission", async ({ params }) => {
      permissions.push(params);
      return { outcome: await answer(params) };
    })
    .connect(acp.ndJsonStream(child.stdin, protocol));
  const client: AcpClient = {
    agent: connection.agent,
    updates,
    permissions,
    lines,
    async wait(fits, from = 0) {
      for (const end = Date.now() + WAIT_MS; Date.now() < end;) {
        const found = updates.slice(from).find(fits);
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`no such update in time; the last were ${JSON.stringify(updates.slice(-3))}`);
    },
    signal: (name) => child.kill(name),
    async leave() {
      connection.close();
      await child.stdin.close().catch(() => {}); // the connection may have closed it
      const { code } = await child.status;
      return { code, stderr: await stderr };
    },
  };
  return {
    ...client,
    async [Symbol.asyncDispose]() {
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      await client.leave();
      clearTimeout(timer);
      await copying;
    },
  };
}

/** Says hello and opens a session. */
export async function newSession(client: AcpClient, cwd: string): Promise<acp.NewSessionResponse> {
  await client.agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  return await client.agent.request("session/new", { cwd, mcpServers: [] });
}

/** A prompt of one text. */
export function prompt(client: AcpClient, sessionId: string, text: string): Promise<acp.PromptResponse> {
  return client.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}
