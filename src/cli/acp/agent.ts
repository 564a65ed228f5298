import {
  agent,
  type AgentApp,
  type ClientCapabilities,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { VERSION } from "../../core/version.ts";
import { modesOf, setMode } from "./plan.ts";
import { configOptions, setOption } from "./options.ts";
import { saidIn } from "./prompt_blocks.ts";
import type { AcpSession } from "./session.ts";
import { asRequestError, type Sessions } from "./sessions.ts";

/** The agent's side of the protocol over the sessions of one client. */
export function acpAgent(sessions: Sessions): AgentApp {
  let capabilities: ClientCapabilities | undefined;
  const options = ({ engine, models }: AcpSession) => ({ configOptions: configOptions(engine, models) });
  const opened = (session: AcpSession) => ({ ...options(session), modes: modesOf(session.engine) });
  // After the response, because only then does the client know the session.
  const afterwards = (work: () => void): void => void setTimeout(work, 0);
  return agent({ name: "sandpiper" })
    .onRequest("initialize", ({ params }) => {
      capabilities = params.clientCapabilities;
      return {
        protocolVersion: PROTOCOL_VERSION, // the only one spoken here, whatever the client offers (X19)
        agentInfo: { name: "sandpiper", title: "sandpiper", version: VERSION },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true },
          sessionCapabilities: { list: {}, resume: {}, close: {} },
        },
        authMethods: [],
      };
    })
    .onRequest("authenticate", () => {
      throw RequestError.invalidParams(undefined, "there is nothing to log in to: the key comes from the environment");
    })
    .onRequest("session/new", async ({ params: { cwd, mcpServers }, client }) => {
      const session = await sessions.open({ cwd, mcpServers }, client, capabilities);
      afterwards(session.tellCommands);
      return { sessionId: session.id, ...opened(session) };
    })
    .onRequest("session/load", async ({ params: { cwd, mcpServers, sessionId }, client }) => {
      const session = await sessions.open({ cwd, mcpServers, sessionId }, client, capabilities);
      session.replay();
      afterwards(session.tellCommands);
      return opened(session);
    })
    .onRequest("session/resume", async ({ params: { cwd, mcpServers = [], sessionId }, client }) => {
      const session = await sessions.open({ cwd, mcpServers, sessionId }, client, capabilities);
      afterwards(session.tellCommands);
      return opened(session);
    })
    .onRequest("session/list", ({ params }) => ({ sessions: [...sessions.list(params.cwd ?? undefined)] }))
    .onRequest("session/close", async ({ params }) => {
      sessions.get(params.sessionId);
      await sessions.close(params.sessionId);
      return {};
    })
    .onRequest("session/set_mode", async ({ params: { sessionId, modeId } }) => {
      const isSet = await setMode(sessions.get(sessionId).engine, modeId)
        .catch((error) => Promise.reject(asRequestError(error)));
      if (!isSet) throw RequestError.invalidParams({ modeId }, "no such mode");
      return {};
    })
    .onRequest("session/set_config_option", async ({ params }) => {
      const session = sessions.get(params.sessionId);
      const isSet = await setOption(session.engine, session.models, params.configId, params.value)
        .catch((error) => Promise.reject(asRequestError(error)));
      if (!isSet) throw RequestError.invalidParams({ configId: params.configId }, "no such option or value");
      return options(session);
    })
    .onRequest("session/prompt", async ({ params, signal }) => {
      const session = sessions.get(params.sessionId);
      const said = saidIn(params.prompt);
      if (said.text === "" && said.images.length === 0) {
        throw RequestError.invalidParams(undefined, "the prompt holds no text and no picture");
      }
      try {
        return { stopReason: await session.prompt(said, signal) };
      } catch (error) {
        throw asRequestError(error);
      }
    })
    .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId).cancel());
}
