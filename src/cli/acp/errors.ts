// What goes wrong, in the words of the protocol: a client has no command line of this program in front of it.
import { RequestError } from "@agentclientprotocol/sdk";
import { UserError } from "../../core/error.ts";

/**
 * A failure as the client is told of it. What a person can mend lies where the client starts this program; everything else
 * keeps its stack for our eyes.
 */
export function asRequestError(error: unknown): unknown {
  if (!(error instanceof UserError)) return error;
  const place = "In the settings of your client, where it starts this agent (arguments, environment)";
  return RequestError.internalError(undefined, `${error.message}. ${place}: ${error.fix}`);
}

/** A session that exists and cannot be opened. */
export function sessionError(sessionId: string, why: string): RequestError {
  return RequestError.invalidRequest(
    { sessionId },
    `${why}. session/list names those there are, session/new begins one`,
  );
}

/** A second prompt while one runs. */
export function promptUnderWay(): RequestError {
  return RequestError.invalidRequest(
    undefined,
    "a prompt of this session is under way: wait for its response, or send session/cancel first",
  );
}
