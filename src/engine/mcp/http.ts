import type { Scope } from "../../core/policy.ts";
import type { HttpServer } from "../../mcp/config.ts";
import type { HttpWay } from "../../mcp/deps.ts";
import { openScopedFetch } from "../../sandbox/proxy/scoped_fetch.ts";
import { given, type Secrets, secretsInHeader } from "../model/secrets.ts";

/** What belongs to the connection and the protocol is not for settings. */
const RESERVED = /^(?:host|connection|content-length|content-type|transfer-encoding|accept|mcp-.*|proxy-.*|upgrade)$/i;

/** The way to a server at an address within a network scope, with the headers of its settings; throws with a sentence. */
export function httpWay({ url, headers = {}, headerEnv = {} }: HttpServer, net: Scope, secrets: Secrets): HttpWay {
  const origin = URL.parse(url);
  if (!origin || !/^https?:$/.test(origin.protocol)) throw new Error(`its url must begin with https:// or http://`);
  if (origin.username !== "" || origin.password !== "") {
    throw new Error("its url holds a name or password; put it into a variable and name that in headerEnv");
  }
  const own = new Headers();
  const named = Object.entries(headerEnv).map(([name, variable]) =>
    [name, given(variable, secrets), variable] as const
  );
  for (const [name, value, variable] of [...Object.entries(headers).map(([n, v]) => [n, v, n] as const), ...named]) {
    if (RESERVED.test(name)) throw new Error(`the header ${name} cannot be set`);
    if (secrets.isKey(variable, value)) {
      throw new Error(`the header ${name} holds the model's key, which no server gets`);
    }
    for (const secret of secretsInHeader(name, value)) secrets.hide(secret);
    try {
      own.set(name, value);
    } catch {
      throw new Error(`the header ${name} or its value is none that can be sent`);
    }
  }
  if (origin.protocol === "http:" && [...own].length > 0 && !isThisMachine(origin.hostname)) {
    throw new Error("its headers would be sent without encryption; use https");
  }
  const way = openScopedFetch(origin, net);
  return {
    ...way,
    fetch: (target, init) => {
      const all = new Headers(init?.headers);
      for (const [name, value] of own) all.set(name, value);
      return way.fetch(target, { ...init, headers: all });
    },
  };
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}
