import { messageOf } from "../../core/error.ts";
import { O_CLOEXEC, O_PATH, open, succeed, systemCall } from "../system/ffi.ts";
import { acceptEach } from "./accept.ts";
import { BRIDGE_PORT } from "./environment.ts";
import { closeQuietly, relay } from "./relay.ts";

/** Exit code of a bridge that could not be built: the same as of a process that could not be confined. */
const BRIDGE_FAILED = 71;
const MOST_CONNECTIONS = 256;

/**
 * The body of `--internal-bridge SOCKET PROGRAM ARGS…`: inside a network namespace of its own, listens on
 * 127.0.0.1 and carries every connection to a socket of the host, while PROGRAM runs; ends with it and as it.
 *
 * The program is the one that confines itself and becomes the command. It is in a Landlock domain then and this process is
 * not: it can neither look into it nor take its descriptors, and the socket's name is gone before the command begins.
 * What the command can do is to connect, and the host judges each connection anew.
 */
export async function runBridge(args: readonly string[]): Promise<never> {
  const [socket = "", program = "", ...rest] = args;
  try {
    hideSelf();
    // Whoever ends the tree politely means the command; this process ends after it.
    Deno.addSignalListener("SIGTERM", () => {});
    // The program starts while the bridge is built: the host sends no command before the bridge has come to the socket.
    const child = new Deno.Command(program, { args: rest, stdin: "inherit", stdout: "inherit", stderr: "inherit" })
      .spawn();
    // A way to the socket that stays when its name is gone.
    const place = `/proc/self/fd/${succeed(open(socket, O_PATH | O_CLOEXEC), `open ${socket}`)}`;
    const listener = Deno.listen({ hostname: "127.0.0.1", port: BRIDGE_PORT });
    closeQuietly(await Deno.connect({ transport: "unix", path: place }));
    serve(listener, place).catch(fail);
    // A death by signal is 128 + signal already.
    Deno.exit((await child.status).code);
  } catch (error) {
    fail(error);
  }
}

async function serve(listener: Deno.TcpListener, place: string): Promise<void> {
  let open = 0;
  await acceptEach(listener, (conn) => {
    if (open >= MOST_CONNECTIONS) return closeQuietly(conn);
    open++;
    carryToHost(conn, place).finally(() => open--);
  });
}

async function carryToHost(conn: Deno.Conn, place: string): Promise<void> {
  try {
    await relay(conn, await Deno.connect({ transport: "unix", path: place }), () => {});
  } catch {
    // One of the two ends is gone; the host knows why.
  } finally {
    closeQuietly(conn);
  }
}

/** No other process may trace this one or look into it. */
function hideSelf(): void {
  const PR_SET_DUMPABLE = 4;
  succeed(systemCall("prctl", PR_SET_DUMPABLE, 0), "prctl(PR_SET_DUMPABLE)");
}

function fail(error: unknown): never {
  const line = JSON.stringify({ confine: "failed", step: "bridge", why: messageOf(error) });
  Deno.stderr.writeSync(new TextEncoder().encode(line + "\n"));
  Deno.exit(BRIDGE_FAILED);
}
