import { isAbsolute, join } from "@std/path";
import { UserError } from "../core/error.ts";
import type { Provider } from "../core/provider.ts";
import { modelFacts, type Price } from "../provider/models.ts";
import { openProvider } from "../provider/mod.ts";
import type { Config } from "./config.ts";
import type { ModelChoice } from "./model.ts";

/** A provider that is ready to be asked, and what is known of its model. */
export interface OpenModel {
  readonly provider: Provider;
  /** Output limit for the request; the server's own where the model is not known. */
  readonly maxTokens: number | undefined;
  readonly notices: readonly string[];
}

/** Opens whoever answers, with recording around it when that was asked for. */
export async function openModel(choice: ModelChoice, config: Config): Promise<OpenModel> {
  const opened = choice.kind === "replay"
    ? { provider: await openProvider("replay", { file: choice.file }), maxTokens: undefined, notices: [] }
    : await openServer(choice, config);
  const record = config.invocation.values["record"];
  if (typeof record !== "string") return opened;
  const file = isAbsolute(record) ? record : join(config.world.cwd, record);
  refuseExisting(file);
  const { recordProvider } = await import("../provider/record.ts");
  const secrets = choice.kind === "openai" && choice.apiKey !== "none" ? [choice.apiKey] : [];
  return { ...opened, provider: recordProvider(opened.provider, { file, secrets }) };
}

/** A recording is one run: lines of an older one before it would be played first. */
function refuseExisting(file: string): void {
  try {
    if (Deno.lstatSync(file).size === 0) return;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  throw new UserError({
    what: `Cannot record to "${file}"`,
    why: "it exists already",
    fix: "Name a new file with --record, or remove that one",
  });
}

async function openServer(
  choice: ModelChoice & { kind: "openai" },
  config: Config,
): Promise<OpenModel> {
  const facts = modelFacts(choice.model);
  const own = config.settings.models?.[choice.model];
  const isKnown = facts.isKnown || own !== undefined;
  const { input = 0, output = 0, cachedInput = input } = own?.price ?? {};
  const price: Price | undefined = own?.price ? { input, output, cacheRead: cachedInput } : facts.price;
  const provider = await openProvider(choice.api, {
    baseUrl: choice.baseUrl,
    apiKey: choice.apiKey,
    apiKeyEnv: choice.apiKeyEnv,
    model: choice.model,
    contextWindow: own?.contextWindow ?? facts.contextWindow,
    ...(price ? { price } : {}),
  });
  return {
    provider,
    maxTokens: own?.maxTokens ?? (facts.isKnown ? facts.maxTokens : undefined),
    notices: isKnown ? [] : [
      `nothing is known of the model ${choice.model}: a context window of ${facts.contextWindow} tokens is assumed and costs are not ` +
      `counted; "models" in settings.json can tell more`,
    ],
  };
}
