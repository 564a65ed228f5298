import { programName } from "../../core/version.ts";
import type { Config } from "../../config/config.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { stripControls } from "../../core/support/text.ts";
import { readVariable } from "../../config/host_environment.ts";
import { loginFetch, loginStore } from "../../engine/mcp/logins.ts";
import { ownerOf } from "../../config/project_servers.ts";
import { openTools } from "../../engine/tools/tools_host.ts";
import type { Policy } from "../../core/policy.ts";
import { hostProgram, programPath } from "../../config/program_path.ts";
import { cleanLine } from "../../mcp/clean.ts";
import type { HttpServer } from "../../mcp/config.ts";
import { type Callback, logIn } from "../../mcp/login.ts";
import { watchSignals } from "../output/signals.ts";
import { writeAll } from "../output/write_all.ts";

/** How long a person may take in the browser. */
const LOGIN_MS = 5 * 60_000;
const PATH = "/callback";

/** `sandpiper mcp login NAME`: logs in to a server at an address in a browser, and keeps the tokens. */
export async function loginCommand(config: Config, name: string, server: HttpServer): Promise<number> {
  const watch = watchSignals();
  const tools = openTools(config, false);
  const store = loginStore(config.stateFolder, server.url, ownerOf(config, name));
  const way = openCallback(server.oauth?.callbackPort, AbortSignal.any([watch.signal, AbortSignal.timeout(LOGIN_MS)]));
  try {
    const login = await logIn(server, {
      fetch: loginFetch(() => tools.policy.net),
      redirectUrl: way.url,
      show: (address) => Promise.resolve(show(config, tools.policy, address)),
      callback: way.callback,
      client: { name: "sandpiper" },
      before: store.read(),
      secret: clientSecret,
    });
    if (login === undefined) {
      say(`${name} answers without a login: nothing is kept\n`);
      return 0;
    }
    store.write(login);
    say(`Logged in to ${name}. The tokens are kept in your own folder, where tools cannot read them\n`);
    return 0;
  } catch (error) {
    const code = watch.exitCode();
    if (code !== undefined) return code;
    throw new UserError({
      what: `Cannot log in to the MCP server "${name}"`,
      // The server may have written it: on one line it cannot pass for the program's own words.
      why: cleanLine(messageOf(error)),
      fix: `Correct it, then write sandpiper mcp login ${name} again. docs/mcp.md tells what a login needs`,
    }, { cause: error });
  } finally {
    await way.close();
    await tools.close();
    watch.stop();
  }
}

function clientSecret(variable: string): string {
  const value = readVariable(variable);
  if (!value) throw new Error(`the variable ${variable} (oauth.clientSecretEnv) is not set`);
  return value;
}

/** The address is shown in any case; a browser is opened for a person who says so at a terminal, and for nobody else. */
function show(config: Config, { write }: Policy, address: URL): void {
  say(`Log in at this address; the browser then comes back to this machine:\n\n  ${address.href}\n\n`);
  const { stdinIsTerminal, stdoutIsTerminal, mayRun } = config.world;
  if (!stdinIsTerminal || !stdoutIsTerminal || !mayRun) return;
  if (!confirm(`Open ${address.host} in your browser?`)) return;
  try {
    const { env } = config.world;
    // It runs unconfined, and so does what it starts by name: nothing of that may lie where tools write.
    const file = hostProgram(Deno.build.os === "darwin" ? "open" : "xdg-open", env["PATH"] ?? "", write);
    if ("why" in file) return say(`No browser could be started (${file.why}): open the address yourself\n`);
    new Deno.Command(file.path, {
      args: [address.href],
      env: { PATH: programPath(env["PATH"] ?? "") },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn().unref();
  } catch {
    say("No browser could be started: open the address yourself\n");
  }
}

/** The loopback address that the browser comes back to. */
function openCallback(port: number | undefined, signal: AbortSignal): {
  readonly url: string;
  readonly callback: (state: string) => Promise<Callback>;
  readonly close: () => Promise<void>;
} {
  const came = Promise.withResolvers<Callback>();
  came.promise.catch(() => {}); // nobody may be waiting yet
  let expected: string | undefined;
  const listening = Deno.serve({ hostname: "127.0.0.1", port: port ?? 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method !== "GET" || pathname !== PATH) return page(404, "There is nothing here.");
    // Whoever does not know the state was not sent by this login: its code could be somebody else's.
    if (expected === undefined || searchParams.get("state") !== expected) {
      return page(400, "This is not the login that was begun.");
    }
    const [code, error, iss] = [searchParams.get("code"), searchParams.get("error"), searchParams.get("iss")];
    if (code === null || error !== null) {
      const said = [error ?? "no code", searchParams.get("error_description")].filter((text) => text !== null).join(
        ": ",
      );
      came.reject(new Error(`the login was not given (${stripControls(said).slice(0, 300)})`));
      return page(200, "The login was not given. You can close this page.");
    }
    came.resolve({ code, ...(iss === null ? {} : { iss }) });
    // What becomes of it is not known here: the code has yet to be changed into tokens.
    return donePage();
  });
  const stop = (): void => came.reject(new Error("nobody came back from the browser within five minutes"));
  signal.addEventListener("abort", stop, { once: true });
  return {
    url: `http://127.0.0.1:${listening.addr.port}${PATH}`,
    callback: (state) => {
      expected = state;
      return came.promise;
    },
    close: async () => {
      signal.removeEventListener("abort", stop);
      await listening.shutdown();
    },
  };
}

/** What the browser shows when the login was given. */
export function donePage(): Response {
  return page(200, `${programName()} has the answer and goes on in your terminal. You can close this page.`);
}

function page(status: number, text: string): Response {
  const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", connection: "close" };
  return new Response(`<!doctype html><title>${programName()}</title><p>${text}</p>`, { status, headers });
}

function say(text: string): void {
  writeAll(Deno.stdout, stripControls(text));
}
