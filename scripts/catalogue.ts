/**
 * Writes the catalogue of models (src/provider/models/catalogue.ts) out of a published package that follows the vendors'
 * pages. `deno task catalogue`; another version of the package: change VERSION, run it, look at what became of the rows.
 */
import { join } from "@std/path";
import { z } from "zod";

/** MIT; its data lie in JSON files, one for each provider, and nothing of its code is loaded. */
const PACKAGE = "@earendil-works/pi-ai";
const VERSION = "1.5.2";
const DATA = "package/dist/providers/data";
const OUT = new URL("../src/provider/models/catalogue.ts", import.meta.url).pathname;

/** Name in our catalogue, and the file that it comes from. */
const FILES: Readonly<Record<string, string>> = {
  "openai": "openai",
  "anthropic": "anthropic",
  "google": "google",
  "deepseek": "deepseek",
  "mistral": "mistral",
  "xai": "xai",
  "moonshotai": "moonshotai",
  "zai": "zai",
  "minimax": "minimax",
  // Prices of this one are those of a subscription.
  "qwen": "qwen-token-plan",
  "groq": "groq",
  "kimi-coding": "kimi-coding",
  "together": "together",
  "fireworks": "fireworks",
  "cerebras": "cerebras",
  "huggingface": "huggingface",
  "azure": "azure",
  "amazon-bedrock": "amazon-bedrock",
  "google-vertex": "google-vertex",
  "openrouter": "openrouter",
};

/** Rows that the package has not, as the vendors' pages said in November 2026. */
const BY_HAND: Readonly<Record<string, readonly string[]>> = {
  "deepseek": ["deepseek-v4-flash 1000000 384000 r 0.3 1.2 0.006 -"],
  "qwen": ["qwen3-coder-plus 1000000 65536 - - - - -", "qwen3-max 262144 65536 - 1.2 6 - -"],
};

/** Files in which a model's window ends where its price rises, and one that has the same models with all of it. */
const WHOLE_WINDOWS: Readonly<Record<string, string>> = { openai: "azure" };

const Model = z.object({
  id: z.string().regex(/^[^\s`$\\]+$/),
  type: z.string().optional(),
  reasoning: z.boolean().optional(),
  input: z.array(z.string()).optional(),
  contextWindow: z.number().int().positive().optional(),
  maxTokens: z.number().int().positive().optional(),
  cost: z.object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() }).partial()
    .optional(),
});
type Model = z.infer<typeof Model>;

/** One line: id, window, longest output, what it can do, prices of input, output, read cache, written cache. */
export function catalogueRow({ id, reasoning, input = [], contextWindow, maxTokens, cost = {} }: Model): string {
  const isPaid = (cost.input ?? 0) > 0 || (cost.output ?? 0) > 0 || id.endsWith(":free");
  const price = (amount: number | undefined, isKnown = true): string =>
    !isPaid || !isKnown || amount === undefined ? "-" : String(Math.round(amount * 1e6) / 1e6);
  const abilities = `${input.includes("image") ? "i" : ""}${reasoning ? "r" : ""}` || "-";
  return [
    id,
    contextWindow ?? "-",
    maxTokens ?? "-",
    abilities,
    price(cost.input),
    price(cost.output),
    price(cost.cacheRead, (cost.cacheRead ?? 0) > 0),
    price(cost.cacheWrite, (cost.cacheWrite ?? 0) > 0),
  ].join(" ");
}

/** Models that chat, without batches and without names that stand for changing ones. */
function modelsIn(folder: string, file: string): ReadonlyMap<string, Model> {
  const text = Deno.readTextFileSync(join(folder, `${file}.json`));
  const byApi = z.record(z.string(), z.record(z.string(), z.unknown())).parse(JSON.parse(text));
  const all = Object.values(byApi).flatMap((models) =>
    Object.entries(models).filter(([key]) => key.startsWith("chat:")).map(([, model]) => Model.parse(model))
  );
  const kept = all.filter(({ id, contextWindow }) => contextWindow && !id.startsWith("~") && !id.endsWith(":batch"));
  return new Map(kept.map((model) => [model.id, model]));
}

function rows(folder: string, name: string, file: string): string[] {
  const whole = WHOLE_WINDOWS[name];
  const wider = whole === undefined ? undefined : modelsIn(folder, whole);
  const models = [...modelsIn(folder, file).values()].map((model) => ({
    ...model,
    contextWindow: Math.max(model.contextWindow ?? 0, wider?.get(model.id)?.contextWindow ?? 0),
  }));
  return [...models.map(catalogueRow), ...BY_HAND[name] ?? []].sort();
}

async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args: [...args], cwd, stdout: "null" }).output();
  if (!success) throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

if (import.meta.main) {
  const work = Deno.makeTempDirSync({ prefix: "catalogue-" });
  try {
    await run("npm", ["pack", "--silent", `${PACKAGE}@${VERSION}`], work);
    const archive = [...Deno.readDirSync(work)].find(({ name }) => name.endsWith(".tgz"))?.name ?? "";
    await run("tar", ["-xzf", archive, DATA], work);
    const parts = Object.entries(FILES).map(([name, file]) =>
      `  "${name}": \`\n${rows(join(work, DATA), name, file).join("\n")}\n\`,\n`
    );
    Deno.writeTextFileSync(
      OUT,
      `// Generated by \`deno task catalogue\` from ${PACKAGE} ${VERSION} (MIT); what is written here by hand is lost.\n\n` +
        "/**\n * Models by provider, one a line: id, window, longest output, abilities (i: images, r: reasoning), then USD per million\n" +
        " * tokens of input, output, read cache and written cache; `-` where it is not known.\n */\n" +
        `export const CATALOGUE: Readonly<Record<string, string>> = {\n${parts.join("")}};\n`,
    );
  } finally {
    Deno.removeSync(work, { recursive: true });
  }
}
