import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { failureOf } from "../../../src/provider/failure/failure.ts";
import type { FailureContext } from "../../../src/provider/failure/failure_message.ts";
import { readFixture } from "../fixture_files.ts";

const SCENE: FailureContext = {
  host: "api.test",
  model: "m",
  apiKeyEnv: "OPENAI_API_KEY",
  secrets: ["top-secret-value"],
  now: Date.UTC(2026, 0, 1, 0, 0, 0),
};

// The shape is the fixture's own readme.
const { cases } = JSON.parse(readFixture("dialects/http-errors.json")) as {
  readonly cases: readonly {
    readonly name: string;
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly expect: { readonly kind: string; readonly retry: boolean; readonly retryAfterMs: number | null };
  }[];
};
for (const { name, status, headers, body, expect } of cases) {
  Deno.test(`failureOf() judges ${name} (R299, R434)`, () => {
    const failure = failureOf({ status, headers: new Headers(headers), body: JSON.parse(body) }, SCENE);
    const { kind, retry, retryAfterMs = null } = failure;
    assertEquals<unknown>({ kind, retry, retryAfterMs, status: failure.status }, { ...expect, status });
  });
}

const MORE: readonly {
  name: string;
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
  expect: readonly [string, boolean, number?];
}[] = [
  { name: "a plain 500", status: 500, body: "oops", expect: ["overload", true] },
  {
    name: "llama.cpp's overflow as 500",
    status: 500,
    body: { error: { type: "exceed_context_size_error", message: "x" } },
    expect: ["context_overflow", false],
  },
  { name: "529", status: 529, body: {}, expect: ["overload", true] },
  {
    name: "402 credits",
    status: 402,
    body: { error: { message: "Insufficient credits", code: 402 } },
    expect: ["rate_limit", false],
  },
  { name: "408", status: 408, body: {}, expect: ["network", true] },
  {
    name: "404",
    status: 404,
    body: { error: { message: "The model `m` does not exist", code: "model_not_found" } },
    expect: ["bad_request", false],
  },
  { name: "403", status: 403, body: { message: "no" }, expect: ["auth", false] },
  {
    name: "a date in Retry-After",
    status: 503,
    headers: { "retry-after": "Thu, 01 Jan 2026 00:00:07 GMT" },
    body: {},
    expect: ["overload", true, 7000],
  },
  ...["Thu, 01 Jan 2026 09:00:04 GMT", "Thursday, 01-Jan-26 09:00:04 GMT", "Thu Jan  1 09:00:04 2026"].map((date) => ({
    name: `a date in Retry-After by the server's own clock, ${date}`,
    status: 429,
    headers: { "date": "Thu, 01 Jan 2026 09:00:00 GMT", "retry-after": date },
    body: {},
    expect: ["rate_limit", true, 4000] as const,
  })),
  ...([
    ["x-ratelimit-reset-requests", "1m0.5s", undefined],
    ["x-ratelimit-reset-requests", "12ms", 12],
    ["x-ratelimit-reset", "17", 17_000],
    ["x-ratelimit-reset", "1767225605", 5000],
    ["x-ratelimit-reset", "1767225605250", 5250],
    ["ratelimit-reset", "3", 3000],
    ["anthropic-ratelimit-requests-reset", "2026-01-01T00:00:09Z", 9000],
    ["x-ratelimit-reset-tokens", "23h59m", undefined],
    ["x-ratelimit-reset", "soon", undefined],
  ] as const).map(([header, value, ms]) => ({
    name: `the window of ${header}: ${value}`,
    status: 429,
    headers: { [header]: value },
    body: {},
    expect: ms === undefined ? ["rate_limit", true] as const : ["rate_limit", true, ms] as const,
  })),
  {
    name: "the windows that are spent, and no other",
    status: 429,
    headers: {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "3s",
      "x-ratelimit-remaining-tokens": "900",
      "x-ratelimit-reset-tokens": "40s",
    },
    body: {},
    expect: ["rate_limit", true, 3000],
  },
  {
    name: "a window beside another error",
    status: 503,
    headers: { "x-ratelimit-reset": "20" },
    body: {},
    expect: ["overload", true],
  },
  {
    name: "an unreadable Retry-After",
    status: 429,
    headers: { "retry-after": "soon" },
    body: {},
    expect: ["rate_limit", true],
  },
  {
    name: "Gemini's list with a delay",
    status: 429,
    body: [{
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        message: "You exceeded your current quota, please check your plan and billing details.",
        details: [{ "@type": "x" }, { retryDelay: "10s" }],
      },
    }],
    expect: ["rate_limit", true, 10_000],
  },
  {
    name: "Azure's wait in words",
    status: 429,
    body: { error: { message: "Please retry after 37 seconds." } },
    expect: ["rate_limit", true, 37_000],
  },
  {
    name: "Cerebras' tokens per minute",
    status: 429,
    body: {
      message: "Tokens per minute limit exceeded - too many tokens processed.",
      type: "too_many_tokens_error",
      code: "token_quota_exceeded",
    },
    expect: ["rate_limit", true],
  },
  {
    name: "a rate limit that speaks of length",
    status: 429,
    body: { error: { message: "Request too large: please reduce the length of the messages" } },
    expect: ["rate_limit", true],
  },
  {
    name: "Z.ai's concurrency",
    status: 429,
    body: { error: { code: "1302", message: "High concurrency" } },
    expect: ["rate_limit", true],
  },
  {
    name: "Z.ai's empty balance",
    status: 429,
    body: { error: { code: "1113", message: "recharge" } },
    expect: ["rate_limit", false],
  },
  {
    name: "Anthropic's prompt too long",
    status: 400,
    body: { error: { message: "prompt is too long: 210000 tokens > 200000 maximum" } },
    expect: ["context_overflow", false],
  },
  {
    name: "an answer that is too long",
    status: 400,
    body: { error: { message: "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000" } },
    expect: ["bad_request", false],
  },
  {
    name: "Mistral's top-level body",
    status: 400,
    body: {
      object: "error",
      message: "Prompt contains 70000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      code: "3051",
    },
    expect: ["context_overflow", false],
  },
  {
    name: "a content filter",
    status: 400,
    body: { error: { code: "content_filter", message: "filtered" } },
    expect: ["content_filter", false],
  },
  {
    name: "Groq's unparsed call",
    status: 400,
    body: { error: { code: "tool_use_failed", message: "Failed to call a function" } },
    expect: ["bad_request", true],
  },
  {
    name: "x-should-retry: false",
    status: 503,
    headers: { "x-should-retry": "false" },
    body: {},
    expect: ["overload", false],
  },
  {
    name: "a rate limit inside a stream",
    body: { error: { code: 429, message: "slow down" } },
    expect: ["rate_limit", true],
  },
  {
    name: "an overflow inside a stream",
    body: {
      error:
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    },
    expect: ["context_overflow", false],
  },
  { name: "an unknown error inside a stream", body: { error: { message: "boom" } }, expect: ["overload", true] },
  {
    name: "a server error by type inside a stream",
    body: { error: { type: "server_error", message: "x" } },
    expect: ["overload", true],
  },
  {
    name: "FastAPI's detail",
    status: 422,
    body: { detail: [{ msg: "field required" }] },
    expect: ["bad_request", false],
  },
];
for (const { name, status, headers, body, expect: [kind, retry, retryAfterMs] } of MORE) {
  Deno.test(`failureOf() judges ${name}`, () => {
    const facts = { body, ...(status ? { status } : {}), ...(headers ? { headers: new Headers(headers) } : {}) };
    const failure = failureOf(facts, SCENE);
    assertEquals<unknown>([failure.kind, failure.retry, failure.retryAfterMs], [kind, retry, retryAfterMs]);
  });
}

Deno.test("failureOf() names host, status, variable and option, and never the key (R438)", () => {
  const body = {
    error: { message: "Incorrect API key provided: sk-abcdef123456*** (top-secret-value)\n\u001b[31mred" },
  };
  const { message } = failureOf({ status: 401, body }, SCENE);
  assertEquals(
    message,
    'api.test answered 401: "Incorrect API key provided: [key] ([key]) red". The key was read from OPENAI_API_KEY: ' +
      "check that it belongs to api.test, or name another variable with --api-key-env.",
  );
  assertNotMatch(message, /top-secret|abcdef/);
});

Deno.test("failureOf() sends a person with a 404 to the model name and the path", () => {
  assertMatch(
    failureOf({ status: 404, body: "<html>x</html>" }, SCENE).message,
    /^api\.test answered 404\. .*"m".*--base-url/,
  );
});

const OVERFLOWS: readonly { readonly name: string; readonly body: unknown; readonly window?: number }[] = [
  { name: "Bedrock", body: { message: "Input is too long for requested model." } },
  {
    name: "Bedrock's Converse",
    body: {
      message:
        "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
    },
  },
  {
    name: "Anthropic's models at Bedrock and Vertex",
    body: { error: { message: "prompt is too long: 207892 tokens > 200000 maximum" } },
    window: 200_000,
  },
  {
    name: "Cohere",
    body: {
      message:
        "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt, or enable prompt truncating.",
    },
    window: 4081,
  },
  {
    name: "Cohere's chat",
    body: { message: "too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs." },
  },
  {
    name: "TGI",
    body: {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 100 `max_new_tokens`",
      error_type: "validation",
    },
    window: 4096,
  },
  {
    name: "TGI's inputs alone",
    body: {
      error: "Input validation error: `inputs` must have less than 4095 tokens. Given: 9000",
      error_type: "validation",
    },
    window: 4095,
  },
  {
    name: "Perplexity",
    body: {
      error: {
        message: "Requested input length 40962 exceeds maximum input length 32767",
        type: "invalid_request",
        code: 400,
      },
    },
    window: 32_767,
  },
  {
    name: "Vertex",
    body: [{
      error: {
        code: 400,
        message:
          "Unable to submit request because the input token count is 1200293 but model only supports up to 1048576.",
        status: "INVALID_ARGUMENT",
      },
    }],
    window: 1_048_576,
  },
  {
    name: "Gemini",
    body: [{
      error: {
        code: 400,
        message: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
      },
    }],
    window: 1_048_576,
  },
  {
    name: "llama.cpp, in a field of its own",
    body: {
      error: {
        type: "exceed_context_size_error",
        message: "the request exceeds the available context size",
        n_ctx: 8192,
      },
    },
    window: 8192,
  },
  {
    name: "llama.cpp, in words",
    body: {
      error: { message: "request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it" },
    },
    window: 8192,
  },
  {
    name: "vLLM",
    body: {
      object: "error",
      message: "This model's maximum context length is 16,384 tokens. However, you requested 122946 tokens",
      code: 400,
    },
    window: 16_384,
  },
  {
    name: "LM Studio",
    body: {
      error:
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    },
    window: 4096,
  },
];
for (const { name, body, window } of OVERFLOWS) {
  Deno.test(`failureOf() knows the overflow of ${name}, and its window`, () => {
    const failure = failureOf({ status: 400, body }, SCENE);
    assertEquals([failure.kind, failure.retry, failure.contextWindow], ["context_overflow", false, window]);
  });
}

const SPOKEN: readonly (readonly [string, number | undefined])[] = [
  ["Please try again in 20ms.", 20],
  ["Please try again in 6m0s. Visit the page", 360_000],
  ["Please try again in 1h2m3s", 3_723_000],
  ["Please retry after 37 seconds.", 37_000],
  ["Please retry in 34.5s.", 34_500],
  ["Quota is spent, try again in 5 minutes", 300_000],
  ["Try again in 1 hour", 3_600_000],
  ["Your limit resets in 2 days", 172_800_000],
  ["Please try again in a moment", undefined],
];
for (const [message, expected] of SPOKEN) {
  Deno.test(`failureOf() reads the wait in "${message}"`, () => {
    assertEquals(failureOf({ status: 429, body: { error: { message } } }, SCENE).retryAfterMs, expected);
  });
}

Deno.test("failureOf() reads the wait of an array of errors with RetryInfo (Gemini)", () => {
  const body = [{
    error: {
      code: 429,
      message: "Resource has been exhausted",
      status: "RESOURCE_EXHAUSTED",
      details: [
        { "@type": "type.googleapis.com/google.rpc.Help" },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "41.5s" },
      ],
    },
  }];
  const { kind, retry, retryAfterMs } = failureOf({ status: 429, body }, SCENE);
  assertEquals([kind, retry, retryAfterMs], ["rate_limit", true, 41_500]);
});

Deno.test("failureOf() waits for a 529 as long as the server asks, and tells the wait of a spent quota", () => {
  const overloaded = failureOf({ status: 529, headers: new Headers({ "retry-after": "120" }), body: {} }, SCENE);
  assertEquals([overloaded.kind, overloaded.retry, overloaded.retryAfterMs], ["overload", true, 120_000]);
  const body = { error: { code: "insufficient_quota", message: "You exceeded your current quota" } };
  const spent = failureOf({ status: 429, headers: new Headers({ "retry-after": "7200" }), body }, SCENE);
  assertEquals([spent.retry, spent.retryAfterMs], [false, 7_200_000]);
});
