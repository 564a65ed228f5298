import type { SomeCapabilities } from "../capabilities/capabilities.ts";

/** The protocols that an adapter exists for. */
export const PROVIDER_APIS = ["chat", "responses", "anthropic"] as const;

/** Which protocol a server speaks; each has one adapter (`src/provider/mod.ts`). */
export type ProviderApi = (typeof PROVIDER_APIS)[number];

/** The header that carries the key: `authorization: Bearer KEY`, or the key alone in one of these. */
export type KeyHeader = "bearer" | "x-api-key" | "api-key";

/**
 * Where the prices of a provider's models come from where no setting names them: rows of the built-in catalogue, the
 * server itself (it says what each reply cost), or nowhere, because no token is paid for.
 */
export type PriceSource = "catalogue" | "server" | "free";

/**
 * One provider as data: all that has to be known to reach it. The built-in ones stand in `built_in.ts`; the user's
 * setting `providers` overrides their fields and adds others. Holds no secret.
 */
export interface ProviderEntry {
  /** As in `--model NAME/ID`: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** For people, for example `OpenAI`. */
  readonly label: string;
  readonly api: ProviderApi;
  /**
   * Up to and including the version, without a slash at its end. `{NAME}` stands for a variable of the environment, `{A|B}`
   * for the first of two that is set, `{model}` for the model's id.
   */
  readonly baseUrl: string;
  /** Variables that hold another base URL, the first that is set wins. */
  readonly baseUrlEnv?: readonly string[];
  /** Variables that hold the key, the first that is set wins; empty where the server wants none. */
  readonly keyEnv: readonly string[];
  /** The key opens more than models, so that other programs of the user need its variable. */
  readonly isSharedKey?: boolean;
  /**
   * A command that prints a key or token, as its arguments; it runs as the user, with neither a shell nor a sandbox. It is
   * asked where no variable of `keyEnv` is set, and once more after a 401.
   */
  readonly apiKeyCommand?: readonly string[];
  /** `bearer` unless told otherwise. */
  readonly keyHeader?: KeyHeader;
  /** Whether the server answers without a key, too; loopback addresses always count as such. */
  readonly isKeyOptional?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the URL of every request, for example `api-version`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Longest silence on the connection, milliseconds. */
  readonly stallMs?: number;
  /** What the user says that its endpoints take; what is known of others stands in `capabilities/known.ts`. */
  readonly capabilities?: SomeCapabilities;
  /** `catalogue` unless told otherwise. */
  readonly prices?: PriceSource;
  /** Its name in the built-in catalogue of models; `name` unless told otherwise. */
  readonly catalogue?: string;
  /** The model that `NAME/` alone stands for; absent: the only one that the server lists. */
  readonly model?: string;
  /** Its models have tags behind a colon, so that a name without one may mean the only one that is there. */
  readonly hasTags?: boolean;
  /** How the names of its own models begin: where no server is set, such a name alone means this provider. */
  readonly models?: readonly string[];
  /** Where a person gets a key, or the server's program. */
  readonly site?: string;
  /** Among the few that a person is shown first. */
  readonly isCommon?: boolean;
  /** A server on this machine that the first start looks for at its base URL. */
  readonly isLocal?: boolean;
}
