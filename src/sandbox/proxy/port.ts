import { withChannel } from "../launcher/frames.ts";
import { answerCall, type CallScope } from "../notification/answer_call.ts";
import { type CallChannel, openChannel } from "../notification/call_channel.ts";
import { watchDescriptor } from "../notification/descriptor_watch.ts";
import { ownPorts } from "../notification/own_ports.ts";
import { callListener } from "../notification/unanswered_call.ts";
import { acceptEach } from "./accept.ts";
import { closeQuietly } from "./relay.ts";

/** A port of the machine's loopback that the sockets of one process tree are connected to, by this process. */
export interface OpenPort {
  readonly port: number;
  /** Calls `start`, which starts the tree's first process, while that can inherit the way to this one; once. */
  readonly lend: <T>(start: () => T) => T;
  /** That process's first frame, with the number of what it inherits. */
  readonly frame: (policy: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
  /** The tree's calls are answered. Never resolves where its first process does not come as far as that. */
  readonly ready: Promise<void>;
  /** Calls fail from now on. Safe to call twice. */
  readonly close: () => void;
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
