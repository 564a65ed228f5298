import type { ModelChoice } from "../../engine/model/model.ts";

/** How long a person waits for a list, milliseconds; what of an answer is read, bytes; names that are kept. */
const LIMIT_MS = 1500;
const MAX_BYTES = 4 * 1024 * 1024;
const MOST = 1000;

/**
 * The models that the server at hand lists (`GET /models`), sorted; none when it does not answer in time, or with something
 * else. Never rejects. A redirect is not followed: the key is for this server alone.
 */
export async function serverModels(choice: ModelChoice, limitMs = LIMIT_MS): Promise<readonly string[]> {
  if (choice.kind !== "openai") return [];
  try {
    const response = await fetch(`${choice.baseUrl}/models`, {
      headers: { accept: "application/json", "user-agent": "sandpiper", authorization: `Bearer ${choice.apiKey}` },
      redirect: "error",
      signal: AbortSignal.timeout(limitMs),
    });
    return response.ok ? names(JSON.parse(await bounded(response))) : (await response.body?.cancel(), []);
  } catch {
    return [];
  }
}

async function bounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_BYTES) throw new Error("too much");
  }
  return text;
}

/** `{data: [{id}]}`, whatever else there is. A name with control characters is nobody's. */
function names(answer: unknown): readonly string[] {
  const list = field(answer, "data");
  const ids = Array.isArray(list) ? list.map((one) => field(one, "id")) : [];
  const named = ids.filter((id): id is string => typeof id === "string" && /^[^\p{C}\s]{1,200}$/u.test(id));
  return [...new Set(named)].sort().slice(0, MOST);
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
