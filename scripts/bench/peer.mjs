// A peer's home, environment and workspace: all made anew, nothing of the machine's own.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fill } from "./scenario.mjs";

/** Reads `peers/NAME.json`, or the file at an absolute path without its `.json`; `dist` is where binaries are, `peers` installed agents, `work` a scratch folder. */
export function loadPeer(given, { dist, peers, work, node, port }) {
  const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
  const file = path.resolve(here, "peers", `${given}.json`);
  const name = path.basename(given);
  const root = path.join(work, name);
  const vars = {
    dist,
    peers: peers ?? "",
    node,
    home: path.join(root, "home"),
    ws: path.join(root, "ws"),
    tmp: path.join(root, "tmp"),
    baseUrl: `http://127.0.0.1:${port}/v1`,
  };
  const peer = { ...JSON.parse(fs.readFileSync(file, "utf8")), name, file, root, vars };
  for (const folder of [vars.home, vars.tmp]) {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true });
  }
  writeAll(vars.home, fill(peer.home ?? {}, vars));
  return peer;
}

/** The environment a peer runs in, complete. */
export function environmentOf({ vars, env }) {
  return {
    PATH: `${path.dirname(vars.node)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: vars.home,
    TMPDIR: vars.tmp,
    LANG: "C.UTF-8",
    TERM: "dumb",
    NO_COLOR: "1",
    USER: "bench",
    SHELL: "/bin/bash",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
    ...fill(env ?? {}, vars),
  };
}

/** Makes the workspace of a scenario as a git repository with one commit. */
export function prepareWorkspace(peer, scenario) {
  const { ws } = peer.vars;
  fs.rmSync(ws, { recursive: true, force: true });
  fs.mkdirSync(ws, { recursive: true });
  writeAll(ws, scenario.files);
  const identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "init.defaultBranch=main"];
  for (const args of [["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "start"]]) {
    spawnSync("git", [...identity, ...args], { cwd: ws, env: environmentOf(peer) });
  }
}

function writeAll(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    const to = path.join(folder, name);
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.writeFileSync(to, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
}
