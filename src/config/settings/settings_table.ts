// One file above the usual length: it is one table.
import { MOST_EFFORTS } from "../../provider/capabilities/capabilities.ts";
import { THINKING_LEVELS } from "../../core/provider.ts";
import { PROVIDER_APIS } from "../../provider/table/entry.ts";
import type { Shape } from "./shape.ts";

/** One key of settings.json: what it may hold and what it is for. */
export interface Setting {
  readonly shape: Shape;
  readonly help: string;
  /** Whether only the user's own file may set it: a project must not redirect traffic, name keys or widen anything. */
  readonly userOnly?: boolean;
}

const text = { type: "string" } as const;
const yes = { type: "boolean" } as const;
const texts = { type: "array", items: text } as const;
const words = { type: "object", additionalProperties: text } as const;
const amount = { type: "number", exclusiveMinimum: 0 } as const;
const price = { type: "number", minimum: 0 } as const;
const count = { type: "integer", minimum: 1 } as const;
const within = (minimum: number, maximum: number) => ({ type: "integer", minimum, maximum }) as const;
const scope = { anyOf: [yes, texts] } as const;
const keys = { anyOf: [text, texts] } as const;
const oneOf = <T extends string>(...values: readonly T[]) => ({ type: "string", enum: values }) as const;
const object = <T extends Readonly<Record<string, Shape>>>(properties: T) =>
  ({ type: "object", properties, additionalProperties: false }) as const;

/** As in `src/provider/capabilities/capabilities.ts`. */
const capabilities = object({
  api: oneOf("chat", "responses"),
  developerRole: yes,
  maxTokensField: oneOf("max_tokens", "max_completion_tokens", "none"),
  streamOptions: yes,
  strict: yes,
  parallelToolCalls: yes,
  effortStyle: oneOf("effort", "reasoning", "thinking", "enable", "template", "none"),
  efforts: object({ off: text, minimal: text, low: text, medium: text, high: text, xhigh: text }),
  systemMessages: oneOf("anywhere", "first", "none"),
  alternation: yes,
  userAfterTool: yes,
  nullContent: yes,
  resultNames: yes,
  images: yes,
  imagesInResults: yes,
  cacheKey: yes,
  cacheControl: yes,
  encryptedReasoning: yes,
  reasoningEcho: oneOf("never", "calls", "always"),
  reasoningField: oneOf("reasoning_content", "reasoning"),
  callIds: oneOf("keep", "mistral9", "max40"),
  answerFormat: oneOf("schema", "tool", "none"),
  thinkingStyle: oneOf("adaptive", "budget", "none"),
  mostEffort: oneOf(...MOST_EFFORTS),
  thinkingDisplay: yes,
  eagerInput: yes,
});

const model = object({
  contextWindow: count,
  maxTokens: count,
  input: { type: "array", items: oneOf("text", "image") },
  reasoning: yes,
  capabilities,
  price: {
    ...object({ input: price, cachedInput: price, cacheWrite: price, output: price }),
    required: ["input", "output"],
  },
});

const provider = object({
  label: text,
  api: oneOf(...PROVIDER_APIS),
  baseUrl: text,
  keyEnv: texts,
  apiKeyCommand: { anyOf: [texts, text] },
  keyHeader: oneOf("bearer", "x-api-key", "api-key"),
  isKeyOptional: yes,
  headers: words,
  query: words,
  stallMs: amount,
  prices: oneOf("catalogue", "server", "free"),
  catalogue: text,
  model: text,
  capabilities,
});

const budget = object({ perSource: count, total: count });

/** All keys of settings.json; the published schema and docs/settings.md come from this table. */
export const SETTINGS = {
  model: { shape: text, help: "who answers: provider/id, or an id alone", userOnly: true },
  baseUrl: {
    shape: text,
    help: "server for ids without a provider; with a model beside it the one for that model",
    userOnly: true,
  },
  api: { shape: oneOf(...PROVIDER_APIS), help: "which API that server speaks", userOnly: true },
  apiKeyEnv: { shape: text, help: "name of the variable that holds its key", userOnly: true },
  providers: {
    shape: { type: "object", additionalProperties: provider },
    help: "providers by name: fields of a built-in one, or another one; see docs/providers.md",
    userOnly: true,
  },
  appendSystemPrompt: {
    shape: texts,
    help: "texts to add to the system prompt, before those of --append-system-prompt; @FILE is the text of a file",
    userOnly: true,
  },
  builtInSections: {
    shape: yes,
    help: "false: SYSTEM.md is used without the built-in sections (environment, interaction, planning, notes)",
    userOnly: true,
  },
  thinking: { shape: oneOf(...THINKING_LEVELS), help: "reasoning effort; off leaves it out of the request" },
  models: {
    shape: { type: "object", additionalProperties: model },
    help: "data of models by id or provider/id; prices in USD per million tokens",
    userOnly: true,
  },
  tools: {
    shape: texts,
    help: "tools that are on at the start, if the policy permits them (fetch: a network scope; web_search: webSearch)",
  },
  agents: {
    shape: object({ parallel: within(1, 16) }),
    help: "Sub-agents: parallel, how many of them run at once (4 unless told otherwise)",
  },
  toolExecution: {
    shape: oneOf("sequential", "parallel"),
    help: "parallel lets neighbouring calls that only read run together",
  },
  identity: { shape: oneOf("assistant", "compiler"), help: "which built-in identity opens the prompt" },
  persona: {
    shape: {
      anyOf: [
        oneOf("sections", "replace"),
        object({ mode: oneOf("sections", "replace"), defaults: yes, withSystem: yes }),
      ],
    },
    help: "SOUL.md and IDENTITY.md beside the built-in identity, or in its place",
  },
  memory: {
    shape: yes,
    help: "put your notes from earlier sessions into the prompt; see docs/prompt.md",
    userOnly: true,
  },
  toolRecoveryPolicy: { shape: yes, help: "tell the model in the prompt how to go on after a failed tool" },
  skills: {
    shape: object({ load: texts, mode: oneOf("on", "off") }),
    help: 'which skills the model is told of: names, or "*"; off: none',
  },
  budgets: {
    shape: object({ persona: budget, context: budget, scripts: budget, skills: budget, skillsRuntime: budget }),
    help: "how much of files goes into the prompt, Unicode characters",
  },
  profile: { shape: oneOf("full", "minimal", "none"), help: "how much prompt" },
  retry: {
    shape: object({
      maxRetries: { type: "integer", minimum: 0 },
      baseDelayMs: amount,
      maxDelayMs: amount,
      maxWaitMs: amount,
      patienceMs: amount,
    }),
    help:
      "retries of failed requests: how many, the first and the longest pause (ms), the longest wait that a server may ask " +
      "for (5 minutes), and all waits for one reply together (15 minutes)",
  },
  history: {
    shape: oneOf("checkpoint", "rolling"),
    help: "how a long history is shortened: a checkpoint summary, or a rolling one over the newest 200 entries",
  },
  compaction: {
    shape: object({ enabled: yes, reserveTokens: count, keepRecentTokens: count }),
    help: "when and how far a long history is shortened, tokens",
  },
  summaryModel: { shape: text, help: "model that shortens a rolling history", userOnly: true },
  checkpoints: {
    shape: {
      anyOf: [
        yes,
        object({
          maxBytes: within(0, 2 ** 40),
          maxFileBytes: within(0, 2 ** 30),
          days: count,
          waitMs: within(0, 3_600_000),
        }),
      ],
    },
    help:
      "what of changed files is kept for undo: bytes a session (256 MB) and a file (8 MB), days (14), and how long the " +
      "first call waits for the scan (waitMs, 10000); false: changes are not recorded at all; see docs/undo.md",
    userOnly: true,
  },
  limits: {
    shape: object({
      maxTurns: count,
      timeoutMs: amount,
      maxTokensTotal: count,
      maxCostUsd: amount,
      maxReplyCharacters: count,
    }),
    help: "bounds of a run, and of one reply with its reasoning and calls; a project may only lower them",
  },
  checks: {
    shape: {
      type: "array",
      items: {
        anyOf: [
          text,
          { ...object({ command: text, files: text, when: oneOf("end", "turn") }), required: ["command"] },
        ],
      },
    },
    help: "commands that have to pass: at the end of a run, or after each turn that changed such files; " +
      "a project adds to the user's",
  },
  permissions: {
    shape: object({
      read: scope,
      write: scope,
      run: scope,
      net: scope,
      env: scope,
      deny: object({ read: texts, write: texts }),
    }),
    help: "scope of the tools; a project may only narrow it",
  },
  sandbox: {
    shape: oneOf("auto", "kernel", "permissions", "off"),
    help: "what must confine the tools",
    userOnly: true,
  },
  bash: {
    shape: object({
      timeoutMs: amount,
      maxTimeoutMs: amount,
      outputBytes: within(1, 2 ** 26),
      outputLines: within(1, 1_000_000),
      fileBytes: within(1024, 2 ** 50),
      openFiles: within(64, 2 ** 20),
      processes: within(8, 2 ** 16),
      memoryBytes: within(16 * 2 ** 20, 2 ** 50),
    }),
    help: "bounds of one call of a tool; a project may only lower them; see docs/sandbox.md",
  },
  userBash: {
    shape: oneOf("confined", "unconfined"),
    help: "where commands after ! run: in the scope of the bash tool, or with all that you may do",
    userOnly: true,
  },
  theme: {
    shape: oneOf("light", "dark", "auto"),
    help: "colours of the terminal UI; auto asks the terminal for its background",
    userOnly: true,
  },
  notify: {
    shape: oneOf("bell", "notification", "osc777", "off"),
    help: "how you are called when a run of more than ten seconds ends or something waits for your answer: the bell " +
      "(default), a notification of the desktop (OSC 9, or OSC 777), or not at all; never while the terminal says that it " +
      "has the focus, and never in CI",
    userOnly: true,
  },
  showThinking: {
    shape: yes,
    help: "show what the model thought from the start; a key changes it",
    userOnly: true,
  },
  keybindings: {
    shape: object({
      newLine: keys,
      followUp: keys,
      expand: keys,
      showThinking: keys,
      model: keys,
      thinking: keys,
      edit: keys,
      pastePicture: keys,
      redraw: keys,
      suspend: keys,
      undo: keys,
    }),
    help: "keys of the terminal UI by what they do; see docs/tui.md",
    userOnly: true,
  },
  mcpServers: {
    shape: {
      type: "object",
      additionalProperties: object({
        type: oneOf("stdio", "http", "streamable-http", "sse"),
        command: text,
        args: texts,
        env: words,
        envFrom: texts,
        cwd: text,
        url: text,
        headers: words,
        headerEnv: words,
        startMs: amount,
        callMs: amount,
        exposure: oneOf("all", "search", "names"),
        elicitation: yes,
        sampling: yes,
        oauth: object({
          grant: oneOf("authorization_code", "client_credentials"),
          clientId: text,
          clientSecretEnv: text,
          callbackPort: within(1, 65_535),
          scope: text,
        }),
      }),
    },
    help: "servers of the Model Context Protocol by name; see docs/mcp.md",
    userOnly: true,
  },
  webSearch: {
    shape: text,
    help: "address of a search that answers JSON, with {query} in it, for the tool web_search; see docs/tools.md",
    userOnly: true,
  },
  projects: {
    shape: {
      type: "object",
      additionalProperties: object({ permissions: object({ read: scope, write: scope, run: scope, net: scope }) }),
    },
    help: "what was allowed for one workspace, by its absolute path; adds to permissions",
    userOnly: true,
  },
  extensions: {
    shape: object({
      grants: {
        type: "object",
        additionalProperties: object({ read: texts, write: texts, net: texts, env: texts, providers: texts }),
      },
      shadow: texts,
    }),
    help: "what extensions may do, by the hash of their files; and which built-in tools they may stand in for",
    userOnly: true,
  },
  updateUrl: {
    shape: text,
    help:
      "the address that sandpiper update asks for the newest version: JSON with version; without it nobody is asked",
    userOnly: true,
  },
  steeringMode: { shape: oneOf("one-at-a-time", "all"), help: "how queued steering messages are delivered" },
  followUpMode: { shape: oneOf("one-at-a-time", "all"), help: "how queued follow-up messages are delivered" },
} as const satisfies Readonly<Record<string, Setting>>;

/** The values that a shape lets through. Keys of objects may all be left out. */
type Fitting<S> = S extends { readonly anyOf: readonly (infer One)[] } ? Fitting<One>
  : S extends { readonly type: "string"; readonly enum: readonly (infer Value)[] } ? Value
  : S extends { readonly type: "string" } ? string
  : S extends { readonly type: "boolean" } ? boolean
  : S extends { readonly type: "array"; readonly items: infer Item } ? readonly Fitting<Item>[]
  : S extends { readonly type: "object"; readonly properties: infer Own }
    ? { readonly [K in keyof Own]?: Fitting<Own[K]> }
  : S extends { readonly type: "object"; readonly additionalProperties: infer Any }
    ? Readonly<Record<string, Fitting<Any>>>
  : number;

/** What a settings file may hold: any of the keys. */
export type Settings = { readonly [K in keyof typeof SETTINGS]?: Fitting<(typeof SETTINGS)[K]["shape"]> };
