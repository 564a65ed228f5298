import { mayHost } from "../../config/host_permissions.ts";
import { UserError } from "../../core/error.ts";
import { causeText, connectionCause } from "../../core/support/connection_cause.ts";
import type { Endpoint } from "../../provider/endpoint/endpoint.ts";
import type { ToldFacts } from "./endpoint_facts.ts";
import { secretForms } from "../../core/support/hide_secrets.ts";
import { keyHeaders, urlOf } from "../../provider/endpoint/post.ts";

/** How long a list may take, milliseconds; what of an answer is read, characters; models that are kept. */
const LIMIT_MS = 1500;
const MAX_CHARACTERS = 8 * 1024 * 1024;
const MOST = 2000;

/** A model as its server tells of it. */
export interface ListedModel extends ToldFacts {
  readonly id: string;
}

/** What a server lists, or why it lists nothing: one line for a person, without the key. */
export type Listing = { readonly models: readonly ListedModel[] } | { readonly why: string };

/**
 * The models that a server lists (`GET /models`), by id. Never rejects. A redirect is not followed: the key is for this
 * server alone. An endpoint without a model will do.
 */
export async function listModels(endpoint: Endpoint, limitMs = LIMIT_MS): Promise<Listing> {
  const { entry, baseUrl, key } = endpoint;
  // Where permissions are narrow nobody is asked for one because of a list.
  if (!mayHost({ name: "net", host: withPort(baseUrl) })) return { why: "this process may not reach it" };
  const signal = AbortSignal.timeout(limitMs);
  try {
    const value = await key.current();
    const response = await fetch(urlOf(baseUrl, "/models", entry.query), {
      headers: {
        accept: "application/json",
        "user-agent": "sandpiper",
        ...keyHeaders(value, entry.keyHeader ?? "bearer"),
        ...(entry.api === "anthropic" ? { "anthropic-version": "2023-06-01" } : {}),
        ...entry.headers,
      },
      redirect: "error",
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return { why: response.status === 401 ? "it refuses the key (401)" : `it answers ${response.status}` };
    }
    const models = modelsIn(JSON.parse(await bounded(response)));
    const forms = secretForms(key.secrets);
    return { models: models.filter(({ id }) => !forms.some((form) => id.includes(form))) };
  } catch (error) {
    if (error instanceof UserError) return { why: `${error.what}: ${error.why}` };
    if (signal.aborted) return { why: `no answer in ${limitMs} ms` };
    if (error instanceof SyntaxError) return { why: "it answers with no list" };
    const cause = connectionCause(error);
    return { why: cause && cause.kind !== "broken" ? causeText(cause) : "it cannot be reached" };
  }
}

function withPort(baseUrl: string): string {
  const { hostname, port, protocol } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

async function bounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_CHARACTERS) throw new SyntaxError("too much");
  }
  return text;
}

/** `{data: [{id}]}` or a bare list, whatever else there is. A name with control characters is nobody's. */
function modelsIn(answer: unknown): readonly ListedModel[] {
  const list = Array.isArray(answer) ? answer : field(answer, "data");
  if (!Array.isArray(list)) throw new SyntaxError("no list");
  const models = new Map<string, ListedModel>();
  for (const one of list) {
    const named = field(one, "id");
    // Gemini puts a folder in front of its names.
    const id = typeof named === "string" ? named.replace(/^models\//, "") : "";
    if (/^[^\p{C}\s]{1,200}$/u.test(id) && !models.has(id)) models.set(id, modelOf(id, one));
  }
  return [...models.values()].sort((a, b) => a.id < b.id ? -1 : 1).slice(0, MOST);
}

/** What servers tell of a model, each in its own words. */
function modelOf(id: string, told: unknown): ListedModel {
  const top = field(told, "top_provider");
  // vLLM; OpenRouter, Together, Groq; LM Studio, Anthropic; Mistral; llama.cpp.
  const contextWindow = count(
    field(told, "max_model_len"),
    field(told, "context_length"),
    field(told, "context_window"),
    field(told, "max_context_length"),
    field(told, "max_input_tokens"),
    field(field(told, "meta"), "n_ctx"),
  );
  const maxTokens = count(
    field(top, "max_completion_tokens"),
    field(told, "max_completion_tokens"),
    field(told, "max_tokens"),
  );
  const inputs = field(field(told, "architecture"), "input_modalities");
  const parameters = field(told, "supported_parameters");
  const price = priceIn(field(told, "pricing"));
  return {
    id,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(Array.isArray(inputs) ? { seesImages: inputs.includes("image") } : {}),
    ...(Array.isArray(parameters) ? { reasons: parameters.includes("reasoning") } : {}),
    ...(price === undefined ? {} : { price }),
  };
}

/** OpenRouter: USD for one token, as texts. */
function priceIn(pricing: unknown): ListedModel["price"] {
  const perMillion = (name: string): number | undefined => {
    const value = field(pricing, name);
    const amount = typeof value === "string" && value !== "" ? Number(value) * 1e6 : NaN;
    return amount >= 0 && Number.isFinite(amount) ? Math.round(amount * 1e6) / 1e6 : undefined;
  };
  const [input, output, cachedInput] = [perMillion("prompt"), perMillion("completion"), perMillion("input_cache_read")];
  if (input === undefined || output === undefined) return undefined;
  return { input, output, ...(cachedInput === undefined ? {} : { cachedInput }) };
}

function count(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value > 0);
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
