// The scripted model as a process of its own, so that its work is not the harness's.
import { spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;

/** Starts `server.mjs` with its options; resolves when it listens, with its pid and a way to end it. */
export async function startServer(options) {
  const server = spawn(process.execPath, [path.join(here, "server.mjs"), ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    server.stdout.once("data", resolve);
    server.once("exit", () => reject(new Error("the server did not start")));
  });
  return {
    pid: server.pid,
    stop() {
      const gone = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGTERM");
      return gone;
    },
  };
}
