import { answerCall, type CallScope } from "../notification/answer_call.ts";
import { answerCalls, type AnsweredCalls } from "../notification/answered_calls.ts";
import { ownPorts } from "../notification/own_ports.ts";
import { acceptEach } from "./accept.ts";
import type { NetGate } from "./gate.ts";
import { closeQuietly } from "./relay.ts";

/** A port of the machine's loopback that the sockets of one process tree are connected to, by this process. */
export interface OpenPort extends Pick<NetGate, "lend" | "frame" | "ready" | "close"> {
  readonly port: number;
}

/** Opens a port; `serve` gets the connections of the tree, and no others. */
export function openPort(serve: (conn: Deno.Conn) => void): OpenPort {
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = server.addr;
  // Ports of clients that this process has connected: whoever else finds the port gets nothing from it.
  const expected = new Set<number>();
  void acceptEach(server, (conn) => {
    if (expected.delete(conn.remoteAddr.port)) serve(conn);
    else closeQuietly(conn);
  });
  const calls = openCalls(server, (listener) => {
    const scope: CallScope = {
      listener,
      proxyPort: port,
      own: ownPorts(),
      onConnect: (from) => {
        expected.add(from);
        return () => void expected.delete(from);
      },
      heldUp: 0,
    };
    return (call) => answerCall(call, scope);
  });
  return {
    ...{ port, lend: calls.lend, frame: calls.frame, ready: calls.ready },
    close: () => {
      closeQuietly(server);
      calls.close();
    },
  };
}

function openCalls(server: Deno.TcpListener, answererOf: Parameters<typeof answerCalls>[0]): AnsweredCalls {
  try {
    return answerCalls(answererOf);
  } catch (error) {
    closeQuietly(server);
    throw error;
  }
}
