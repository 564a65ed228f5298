// A server below HTTP: it writes bytes, waits, closes and resets where a schedule says so, which HTTP libraries do not do.
import net from "node:net";
import { Buffer } from "node:buffer";

/** What a server does with a connection, in order. */
export type Act =
  | { readonly type: "write"; readonly bytes: Uint8Array }
  | { readonly type: "wait"; readonly ms: number }
  /** Waits until the client has gone. */
  | { readonly type: "hang" }
  /** An ordinary end of the connection (FIN). */
  | { readonly type: "close" }
  /** A connection that broke (RST). */
  | { readonly type: "reset" };

/** One request, whole. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server on the loopback address. */
export interface Wire extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
}

const HEAD_END = "\r\n\r\n";

/** Serves each request with the acts that `answer` gives for it. */
export async function serveWire(answer: (asked: Asked) => readonly Act[]): Promise<Wire> {
  const open = new Set<net.Socket>();
  const server = net.createServer({ noDelay: true }, (socket) => {
    open.add(socket);
    const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => {}); // a client that went away is what half of the schedules are about
    let pending = Buffer.alloc(0);
    let isAnswering = false;
    const answerAll = async (): Promise<void> => {
      if (isAnswering) return;
      isAnswering = true;
      for (let asked = takeRequest(); asked !== undefined; asked = takeRequest()) {
        for (const act of answer(asked)) if (!socket.destroyed) await perform(act, socket, gone);
      }
      isAnswering = false;
    };
    const takeRequest = (): Asked | undefined => {
      const at = pending.indexOf(HEAD_END);
      if (at < 0) return undefined;
      const [first = "", ...lines] = pending.subarray(0, at).toString("latin1").split("\r\n");
      const headers = Object.fromEntries(lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }));
      const end = at + HEAD_END.length + Number(headers["content-length"] ?? 0);
      if (pending.length < end) return undefined;
      const [method = "", path = ""] = first.split(" ");
      const body = pending.subarray(at + HEAD_END.length, end).toString("utf8");
      pending = pending.subarray(end);
      return { method, path, headers, body };
    };
    socket.on("data", (bytes: Buffer) => {
      pending = Buffer.concat([pending, bytes]);
      void answerAll();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

async function perform(act: Act, socket: net.Socket, gone: Promise<void>): Promise<void> {
  switch (act.type) {
    case "write":
      return await new Promise((resolve) => {
        void gone.then(resolve);
        socket.write(act.bytes, () => resolve());
      });
    case "wait": {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const over = new Promise<void>((resolve) => timer = setTimeout(resolve, act.ms));
      await Promise.race([over, gone]);
      return clearTimeout(timer);
    }
    case "hang":
      return await gone;
    case "close":
      socket.end();
      return await gone;
    case "reset":
      socket.resetAndDestroy();
      return await gone;
  }
}
