// Logins of servers at addresses: kept in the user's own folder, which no tool can read (src/sandbox/policy/secrets.ts).
import { join } from "@std/path";
import { messageOf, UserError } from "../../core/error.ts";
import type { Scope } from "../../core/policy.ts";
import { attempt } from "../../core/support/attempt.ts";
import { sha256 } from "../../core/support/digest.ts";
import { replaceFile } from "../../core/support/replace_file.ts";
import type { Login, LoginFetch, LoginStore } from "../../mcp/login.ts";
import { openScopedFetch } from "../../sandbox/proxy/scoped_fetch.ts";

/** Longest answer of an authorization server, and longest time for it. */
const REQUEST_MS = 20_000;
const REQUEST_BYTES = 1024 * 1024;

/**
 * Where the login for an address is kept, mode 0600. A project's server has one of its own: a project that names an address
 * that the user has logged in to does not get that login.
 *
 * @param owner Empty for the user's own servers, else the project's folder.
 */
export function loginStore(stateFolder: string | undefined, url: string, owner: string): LoginStore {
  const folder = stateFolder === undefined ? undefined : join(stateFolder, "mcp-logins");
  const path = join(folder ?? "/nonexistent", `${sha256(JSON.stringify([url, owner])).slice(0, 32)}.json`);
  const make = (): void => {
    if (folder !== undefined) return Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    throw new UserError({
      what: "The login cannot be kept",
      why: "there is no folder for it that this program may write",
      fix: "Set HOME, or SANDPIPER_HOME, to a folder of yours",
    });
  };
  return {
    read() {
      try {
        return readLogin(Deno.readTextFileSync(path));
      } catch (error) {
        if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) return undefined;
        throw error;
      }
    },
    write(login) {
      make();
      replaceFile(path, JSON.stringify(login), "private");
    },
    remove() {
      try {
        Deno.removeSync(path);
        return true;
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return false;
        throw error;
      }
    },
    async alone(work) {
      make();
      using file = Deno.openSync(`${path}.lock`, { create: true, write: true, mode: 0o600 });
      await file.lock(true);
      try {
        return await work();
      } finally {
        await file.unlock();
      }
    },
  };
}

/** What was kept; a file that something else has written is no login. */
function readLogin(text: string): Login | undefined {
  const value = attempt(() => JSON.parse(text));
  const isLogin = typeof value?.url === "string" && typeof value?.tokens?.access_token === "string" &&
    typeof value?.client?.client_id === "string" && typeof value?.discovery?.authorizationServerUrl === "string";
  return isLogin ? value : undefined;
}

/** Goes to the hosts of a network scope, for logins: a server may name an authorization server at another host. */
export function loginFetch(net: () => Scope): LoginFetch {
  return async (target, init = {}) => {
    const url = new URL(target);
    const way = openScopedFetch(url, net());
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(REQUEST_MS), ...(init.signal ? [init.signal] : [])]);
      const response = await way.fetch(url, { ...init, signal }).catch((error) => {
        throw new Error(way.notes()[0] ?? messageOf(error));
      });
      const [note] = way.notes();
      const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
      // The proxy's own answer is none of the server's, and a stream of events none of a login.
      if (note !== undefined || isStream) await response.body?.cancel();
      if (note !== undefined) throw new Error(note);
      const body = isStream || response.body === null ? null : await limited(response.body);
      return new Response(body, { status: response.status, headers: response.headers });
    } finally {
      way.close();
    }
  };
}

async function limited(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<ArrayBuffer> {
  let size = 0;
  const bounded = body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        if ((size += chunk.length) > REQUEST_BYTES) throw new Error("the answer is longer than 1 MiB");
        controller.enqueue(chunk);
      },
    }),
  );
  return await new Response(bounded).arrayBuffer();
}
