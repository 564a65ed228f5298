/**
 * Runs the conformance suite of the Model Context Protocol against the client of this program: every client scenario of
 * the npm package `@modelcontextprotocol/conformance`, each with test/mcp/conformance/client.ts.
 *
 * Options: names of scenarios replace all. Exits with 1 if a scenario fails that is not expected to, or passes although
 * it is expected to fail. If the package cannot be had, the reason is printed and the exit code is 0.
 */
import { resolve } from "@std/path";

const [PACKAGE, VERSION] = ["@modelcontextprotocol/conformance", "0.2.0-alpha.12"];
const INSTALL_MS = 120_000;
/** For one scenario. */
const LIMIT_MS = 60_000;
const SIDE_BY_SIDE = 2;
const TRIES = 2;

/** Scenarios that fail, and why. */
const EXPECTED: Readonly<Record<string, string>> = {
  "auth/client-credentials-jwt": "clients that sign with a key of their own are not supported (extension)",
  "auth/enterprise-managed-authorization": "identity providers of companies are not supported (extension)",
  "auth/wif-jwt-bearer": "workload identities are not supported (extension)",
  "auth/dpop": "tokens that are bound to a key are not supported (extension)",
  "auth/dpop-nonce": "tokens that are bound to a key are not supported (extension)",
  "json-schema-2020-12-preservation": "the model gets a normalized schema, and nothing sends a server its own one back",
};

const root = resolve(import.meta.dirname ?? ".", "..");
const folder = Deno.makeTempDirSync({ prefix: "sp-conformance-" });
const run = ["run", "-A", "--no-prompt", "--quiet"];
const client = [
  ...[Deno.execPath(), ...run, "--no-check", "--config", `${root}/deno.json`],
  `${root}/test/mcp/conformance/client.ts`,
];

interface Ran {
  readonly success: boolean;
  readonly said: string;
}

async function output(command: string, args: readonly string[], limitMs: number): Promise<Ran> {
  try {
    const signal = AbortSignal.timeout(limitMs);
    const { success, stdout, stderr } = await new Deno.Command(command, {
      args: [...args],
      cwd: folder,
      env: { NO_COLOR: "1" },
      stdin: "null",
      signal,
    }).output();
    const decoder = new TextDecoder();
    return { success, said: decoder.decode(stdout) + decoder.decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { success: false, said: `there is no ${command}` };
    throw error;
  }
}

/** Runs the suite in a folder of its own: it is none of this project's packages. It needs a newer Node than some have. */
const suite = (...args: readonly string[]): Promise<Ran> =>
  output(
    Deno.execPath(),
    [...run, "--no-config", "--no-lock", "--node-modules-dir=manual", `node_modules/${PACKAGE}/dist/index.js`, ...args],
    2 * LIMIT_MS,
  );

async function passes(scenario: string): Promise<string | undefined> {
  let said = "";
  for (let tries = 0; tries < (scenario in EXPECTED ? 1 : TRIES); tries++) {
    const words = ["--scenario", scenario, "--timeout", `${LIMIT_MS}`, "-o", `${folder}/results`];
    const ran = await suite("client", "--command", client.join(" "), ...words);
    if (ran.success) return undefined;
    said = ran.said;
  }
  return said;
}

let code = 0;
try {
  const flags = ["--loglevel=error", "--ignore-scripts", "--prefer-offline", "--no-audit", "--fetch-retries=1"];
  const installed = await output("npm", ["install", ...flags, "--prefix", folder, `${PACKAGE}@${VERSION}`], INSTALL_MS);
  if (!installed.success) {
    console.log(`not tested with the conformance suite of MCP: ${installed.said.trim().split("\n")[0]}`);
    Deno.exit(0);
  }
  const listed = await suite("list", "--client");
  const all = [...listed.said.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name = ""]) => name);
  if (all.length === 0) throw new Error(`the suite lists no scenarios: ${listed.said}`);
  const waiting = Deno.args.length > 0 ? [...Deno.args] : [...all];
  let [passed, expected] = [0, 0];
  const work = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      const said = await passes(scenario);
      const why = EXPECTED[scenario];
      if (said === undefined && why === undefined) passed++;
      else if (said !== undefined && why !== undefined) {
        expected++;
        console.log(`${scenario} fails as expected: ${why}`);
      } else {
        code = 1;
        console.log(said ?? "", `\n${scenario} ${said === undefined ? "passes: remove it from EXPECTED" : "failed"}`);
      }
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  console.log(`${passed} scenarios passed, ${expected} failed as expected${code === 0 ? "" : "; see above"}`);
} finally {
  Deno.removeSync(folder, { recursive: true });
}
Deno.exit(code);
