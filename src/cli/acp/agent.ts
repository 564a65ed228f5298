import {
  agent,
  type AgentApp,
  type AgentContext,
  type ClientCapabilities,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { VERSION } from "../../core/version.ts";
import { modesOf, setMode } from "./plan.ts";
import { configOptions, setOption } from "./options.ts";
import { saidIn } from "./prompt_blocks.ts";
import type { AcpSession } from "./session.ts";
import { asRequestError, type Sessions, type WantedSession } from "./sessions.ts";

/** There is no login: what a client can do is to find out whether there is a key. */
const KEY_METHOD = {
  id: "api-key",
  name: "API key",
  description: "The key comes from the environment in which the client starts this agent",
};

/** What a new session is opened with; the protocol has ids for kept ones alone. */
function withoutId({ cwd, mcpServers, additionalDirectories }: WantedSession): WantedSession {
  return { cwd, ...(mcpServers ? { mcpServers } : {}), ...(additionalDirectories ? { additionalDirectories } : {}) };
}

/** The agent's side of the protocol over the sessions of one client. */
export function acpAgent(sessions: Sessions): AgentApp {
  let capabilities: ClientCapabilities | undefined;
  const options = ({ engine, models }: AcpSession) => ({ configOptions: configOptions(engine, models) });
  const opened = (session: AcpSession) => ({ ...options(session), modes: modesOf(session.engine) });
  /** Commands and notices are told after the response, because only then does the client know the session. */
  const open = async (wanted: WantedSession, client: AgentContext): Promise<AcpSession> => {
    const session = await sessions.open(wanted, client, capabilities);
    setTimeout(session.introduce, 0);
    return session;
  };
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
          sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
        },
        authMethods: [KEY_METHOD],
      };
    })
    .onRequest("authenticate", async ({ params }) => {
      if (params.methodId !== KEY_METHOD.id) {
        throw RequestError.invalidParams({ methodId: params.methodId }, `the only method is "${KEY_METHOD.id}"`);
      }
      await sessions.checkKey();
      return {};
    })
    .onRequest("session/new", async ({ params, client }) => {
      const session = await open(withoutId(params), client);
      return { sessionId: session.id, ...opened(session) };
    })
    .onRequest("session/load", async ({ params, client }) => {
      const session = await open(params, client);
      session.replay();
      return opened(session);
    })
    .onRequest("session/resume", async ({ params, client }) => opened(await open(params, client)))
    .onRequest("session/delete", async ({ params }) => {
      await sessions.delete(params.sessionId);
      return {};
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
