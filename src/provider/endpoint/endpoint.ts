import type { ProviderEntry } from "../table/entry.ts";

/** The key of one endpoint: where it comes from and what it is at the moment. */
export interface EndpointKey {
  /**
   * The key to send with the next request; empty where none is sent. May run the user's command. Rejects with UserError
   * where a key is needed and cannot be had.
   */
  readonly current: (signal?: AbortSignal) => Promise<string>;
  /** After a 401: another key than the refused one, or undefined where there is none. Called once for each request. */
  readonly renew: (refused: string, signal?: AbortSignal) => Promise<string | undefined>;
  /** All values that were handed out: grows with them. No text may show one of them. */
  readonly secrets: readonly string[];
  /** No key was found, and the server is asked as if it wanted none. */
  readonly isKeyless: boolean;
  /** For messages: the variable, or the command without its arguments. */
  readonly origin?: string;
}

/**
 * A model of a provider, as it is asked: variables and settings are filled in, nothing is connected yet.
 *
 * `openProvider(endpoint.entry.api, …)` turns it into a `Connection`, which is all that an adapter gets; the adapter posts
 * with `createPost(connection)`, which adds the key, headers and query, and renews the key after a 401.
 */
export interface Endpoint {
  /** The built-in entry under the user's settings; for a bare `--base-url` one that was made for it. */
  readonly entry: ProviderEntry;
  /** Absolute, without a slash at its end and without placeholders. */
  readonly baseUrl: string;
  /** As the server calls it. */
  readonly model: string;
  readonly key: EndpointKey;
}
