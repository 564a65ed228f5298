import * as z from "zod/mini";

const positive = z.number().check(z.positive());
const whole = z.int().check(z.positive());
const paths = z.union([z.boolean(), z.array(z.string())]);

/** Data of one model, as settings give it. */
const model = z.strictObject({
  contextWindow: z.exactOptional(whole),
  maxTokens: z.exactOptional(whole),
  input: z.exactOptional(z.array(z.enum(["text", "image"]))),
  reasoning: z.exactOptional(z.boolean()),
  price: z.exactOptional(
    z.strictObject({ input: z.number(), cachedInput: z.exactOptional(z.number()), output: z.number() }),
  ),
});

/** One key of settings.json: what it may hold and what it is for. */
export interface Setting {
  readonly schema: z.ZodMiniType;
  readonly help: string;
  /** Whether only the user's own file may set it: a project must not redirect traffic, name keys or widen anything. */
  readonly userOnly?: boolean;
}

/** All keys of settings.json; the published schema and docs/settings.md come from this table. */
export const SETTINGS = {
  model: { schema: z.string(), help: "model id", userOnly: true },
  baseUrl: { schema: z.string(), help: "OpenAI-compatible endpoint", userOnly: true },
  api: { schema: z.enum(["chat", "responses"]), help: "which OpenAI API", userOnly: true },
  apiKeyEnv: { schema: z.string(), help: "name of the variable that holds the key", userOnly: true },
  thinking: {
    schema: z.enum(["off", "minimal", "low", "medium", "high", "xhigh"]),
    help: "reasoning effort; off leaves it out of the request",
  },
  models: {
    schema: z.record(z.string(), model),
    help: "data of models by id; prices in USD per million tokens",
    userOnly: true,
  },
  tools: { schema: z.array(z.string()), help: "active tools" },
  toolExecution: {
    schema: z.enum(["sequential", "parallel"]),
    help: "parallel lets neighbouring calls that only read run together",
  },
  identity: { schema: z.enum(["assistant", "compiler"]), help: "which built-in identity opens the prompt" },
  profile: { schema: z.enum(["full", "minimal", "none"]), help: "how much prompt" },
  retry: {
    schema: z.strictObject({
      maxRetries: z.exactOptional(z.int().check(z.nonnegative())),
      baseDelayMs: z.exactOptional(positive),
      maxDelayMs: z.exactOptional(positive),
    }),
    help: "retries of failed requests",
  },
  limits: {
    schema: z.strictObject({
      maxTurns: z.exactOptional(whole),
      timeoutMs: z.exactOptional(positive),
      maxTokensTotal: z.exactOptional(whole),
      maxCostUsd: z.exactOptional(positive),
    }),
    help: "bounds of a run; a project may only lower them",
  },
  permissions: {
    schema: z.strictObject({
      read: z.exactOptional(paths),
      write: z.exactOptional(paths),
      run: z.exactOptional(paths),
      net: z.exactOptional(paths),
      env: z.exactOptional(paths),
      deny: z.exactOptional(
        z.strictObject({ read: z.exactOptional(z.array(z.string())), write: z.exactOptional(z.array(z.string())) }),
      ),
    }),
    help: "scope of the tools; a project may only narrow it",
  },
  sandbox: {
    schema: z.enum(["auto", "kernel", "permissions", "off"]),
    help: "what must confine the tools",
    userOnly: true,
  },
  bash: {
    schema: z.strictObject({
      timeoutMs: z.exactOptional(positive),
      maxTimeoutMs: z.exactOptional(positive),
      outputBytes: z.exactOptional(whole),
    }),
    help: "bounds of one bash call",
  },
  steeringMode: { schema: z.enum(["one-at-a-time", "all"]), help: "how queued steering messages are delivered" },
  followUpMode: { schema: z.enum(["one-at-a-time", "all"]), help: "how queued follow-up messages are delivered" },
} as const satisfies Readonly<Record<string, Setting>>;

type Table = typeof SETTINGS;

/** What a settings file may hold: any of the keys. */
export type Settings = { readonly [K in keyof Table]?: z.infer<Table[K]["schema"]> };
