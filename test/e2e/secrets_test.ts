// Secret places of other programs, through the whole program.
import { assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { HOME_SECRETS, SECRET_PLACES } from "../../src/sandbox/policy/secrets.ts";
import { inWorkspace, PROGRAM, run } from "../helpers/program.ts";

/** Places that everyday tools read, beside secret ones. */
const OPEN = [
  ".cache/huggingface/hub/models--a/config.json",
  ".ollama/models/manifests/x",
  ".config/Code/User/settings.json",
  ".config/fish/config.fish",
  ".cargo/config.toml",
  ".gem/ruby/x.rb",
  ".m2/repository/a.pom",
  ".gitconfig",
  ".bashrc",
  "notes.txt",
];

/** Secret places that variables move, and files that their names give away. */
const MOVED: Readonly<Record<string, readonly [value: string, secret: string]>> = {
  XDG_CONFIG_HOME: ["conf", "conf/gh/hosts.yml"],
  XDG_DATA_HOME: ["data", "data/opencode/auth.json"],
  XDG_STATE_HOME: ["state", "state/syncthing/key.pem"],
  XDG_CACHE_HOME: ["cache", "cache/huggingface/token"],
  CODEX_HOME: ["cx", "cx/auth.json"],
  CLAUDE_CONFIG_DIR: ["cl", "cl/.credentials.json"],
  COPILOT_HOME: ["cp", "cp/config.json"],
  HF_HOME: ["hf", "hf/stored_tokens"],
  HF_TOKEN_PATH: ["hft", "hft"],
  CARGO_HOME: ["cargo", "cargo/credentials.toml"],
  KUBECONFIG: ["k1:HOME/k2", "k2"],
  GNUPGHOME: ["gpg", "gpg/secring.gpg"],
  AWS_SHARED_CREDENTIALS_FILE: ["awsc", "awsc"],
  NPM_CONFIG_USERCONFIG: ["npmc", "npmc"],
  DOCKER_CONFIG: ["dock", "dock/config.json"],
};
const NAMED = [".some_history", "passwords.kdbx", "id_ed25519", "cert.p12"];

/** Secrets of other agents, whatever the table has. */
const AGENTS = [
  ".copilot/config.json",
  ".config/github-copilot/apps.json",
  ".cache/huggingface/token",
  ".huggingface/token",
  ".config/anthropic/credentials.json",
  ".ollama/id_ed25519",
  ".qwen/oauth_creds.json",
  ".config/goose/secrets.yaml",
  ".kimi/config.toml",
  ".claude/.credentials.json",
  ".claude.json",
  ".codex/auth.json",
  ".gemini/oauth_creds.json",
  ".local/share/opencode/auth.json",
  ".pi/agent/auth.json",
  ".aider.conf.yml",
  ".continue/config.json",
];

async function put(home: string, path: string): Promise<void> {
  await Deno.mkdir(dirname(join(home, path)), { recursive: true });
  await Deno.writeTextFile(join(home, path), "FAKE\n");
}

Deno.test("no secret place of the table can be read where the home is granted, and what tools need beside them can", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    // Some places lie in others.
    const outer = HOME_SECRETS.filter((path) => !HOME_SECRETS.some((other) => path.startsWith(`${other}/`)));
    const files = outer.map((path, at) => at % 2 === 0 ? path : `${path}/inner/file`);
    for (const path of [...files, ...OPEN, ...NAMED, ...Object.values(MOVED).map(([, secret]) => secret)]) {
      await put(home, path);
    }
    const env = Object.fromEntries(
      Object.entries(MOVED).map(([name, [value]]) => [name, `${home}/${value.replace("HOME", home)}`]),
    );
    const list = 'cd "$1" && find . -type f -exec grep -l FAKE {} + 2>/dev/null | sort';
    const args = ["tool", `--allow-read=+${home}`, "bash", "--", `set -- ${home}; ${list}`];
    const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home, ...env } });
    const seen = ran.stdout.split("\n").filter((line) => line.startsWith("./")).map((line) => line.slice(2));
    assertEquals(seen, OPEN.toSorted(), ran.stderr);
    // The same for the file tools.
    for (const path of [".copilot", ".qwen", ".kimi", "cx/auth.json"]) {
      const asked = ["tool", `--allow-read=+${home}`, "read", JSON.stringify({ path: join(home, path) })];
      const read = await run(PROGRAM, asked, { cwd: ws, env: { HOME: home, ...env } });
      assertEquals([read.stdout.includes("FAKE"), read.code], [false, 1], path);
    }
  });
});

Deno.test("no secret of another agent can be read where the home is granted", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    for (const path of [...AGENTS, "notes.txt"]) await put(home, path);
    const list = `cd ${home} && find . -type f -exec grep -l FAKE {} + 2>/dev/null`;
    const args = ["tool", `--allow-read=+${home}`, "bash", "--", list];
    const ran = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals(ran.stdout.split("\n").filter((line) => line.startsWith("./")), ["./notes.txt"], ran.stderr);
    for (const path of AGENTS) {
      const asked = ["tool", `--allow-read=+${home}`, "read", JSON.stringify({ path: join(home, path) })];
      const read = await run(PROGRAM, asked, { cwd: ws, env: { HOME: home } });
      assertEquals([read.stdout.includes("FAKE"), read.code], [false, 1], path);
    }
  });
});

Deno.test("each row of the table says which program it is about and where that is documented", () => {
  for (const { of, source, home = [], moved = {} } of SECRET_PLACES) {
    assertEquals([of !== "", source !== "", home.length + Object.keys(moved).length > 0], [true, true, true], of);
    for (const path of home) assertEquals(path.startsWith("/") || path.includes(".."), false, path);
  }
});
