import { withChannel } from "../launcher/frames.ts";
import { answerCall, type CallScope } from "../notification/answer_call.ts";
import { type CallChannel, openChannel } from "../notification/call_channel.ts";
import { watchDescriptor } from "../notification/descriptor_watch.ts";
import { ownPorts } from "../notification/own_ports.ts";
import { callListener } from "../notification/unanswered_call.ts";
import { acceptEach } from "./accept.ts";
import type { NetGate } from "./gate.ts";
import { closeQuietly } from "./relay.ts";

/** A port of the machine's loopback that the sockets of one process tree are connected to, by this process. */
export interface OpenPort extends Pick<NetGate, "lend" | "frame" | "ready" | "close"> {
  readonly port: number;
}

/** Opens a port; `serve` gets the connections of the tree, and no others. */
export function openPort(serve: (conn: Deno.Conn) => void): OpenPort {
  const channel = openChannel();
  const server = listen(channel);
  const { port } = server.addr;
  // Ports of clients that this process has connected: whoever else finds the port gets nothing from it.
  const expected = new Set<number>();
  void acceptEach(server, (conn) => {
    if (expected.delete(conn.remoteAddr.port)) serve(conn);
    else closeQuietly(conn);
  });
  let isClosed = false;
  let stop = (): void => {};
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  channel.received.then((descriptor) => {
    if (descriptor === undefined) return;
    const listener = callListener(descriptor);
    if (isClosed) return listener.close();
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
    const unwatch = watchDescriptor(descriptor, async (event) => {
      if (event === "gone") return stop();
      const call = await listener.receive();
      if (call) void answerCall(call, scope);
    });
    stop = () => {
      unwatch();
      listener.close();
    };
    isReady();
  });
  return {
    ...{ port, ready },
    lend: channel.lend,
    frame: (policy) => withChannel(policy, channel.number),
    close: () => {
      isClosed = true;
      closeQuietly(server);
      channel.close();
      stop();
    },
  };
}

function listen(channel: CallChannel): Deno.TcpListener {
  try {
    return Deno.listen({ hostname: "127.0.0.1", port: 0 });
  } catch (error) {
    channel.close();
    throw error;
  }
}
