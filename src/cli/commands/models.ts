import { type Config, configure } from "../../config/config.ts";
import { readVariable, readWorld } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { UserError } from "../../core/error.ts";
import { nearest } from "../../core/support/nearest.ts";
import { counted, stripControls, visibleJson } from "../../core/support/text.ts";
import {
  type AvailableModel,
  type AvailableProvider,
  availableProviders,
  modelJson,
  tokens,
  usd,
} from "../../engine/model/available.ts";
import { firstModel, serverAtBaseUrl } from "../../engine/model/first_model.ts";
import { type ModelChoice, tableOf } from "../../engine/model/model.ts";
import { missingOf } from "../../engine/model/resolve_endpoint.ts";
import { NoModelError } from "../../engine/model/offers.ts";
import { writeAll } from "../output/write_all.ts";

/** How long one server's list may take when it is checked, milliseconds. */
const CHECK_MS = 10_000;

/**
 * `sandpiper models`: the models of every provider that has an address and a key; with `--check` whether each can be asked.
 * 1 when a provider that was checked cannot be asked.
 */
export async function modelsCommand(invocation: Invocation): Promise<number> {
  const { values } = invocation;
  const config = configure(invocation, readWorld());
  const only = typeof values["provider"] === "string" ? values["provider"] : undefined;
  const isCheck = values["check"] === true;
  // A model is not needed for a list, and what is wrong with it is said elsewhere.
  const now = await firstModel(config, readVariable).catch((error) => {
    if (!(error instanceof UserError)) throw error;
    return serverOrNone(config);
  });
  if (only !== undefined) refuseMissing(only, config.settings, now);
  const found = await availableProviders({
    settings: config.settings,
    variable: readVariable,
    now,
    ask: isCheck || only !== undefined ? "all" : "keyed",
    ...(only === undefined ? {} : { only }),
    ...(isCheck ? { limitMs: CHECK_MS } : {}),
  });
  if (found.length === 0) throw new NoModelError([], config.settings, "provider");
  const text = values["json"]
    ? visibleJson(found.map(asJson), 2)
    : isCheck
    ? checkLines(found).join("\n")
    : found.map(section).join("\n\n");
  writeAll(Deno.stdout, stripControls(text) + "\n");
  return isCheck && found.some(({ isListed }) => !isListed) ? 1 : 0;
}

/** The server of a base URL, also if no model of it is chosen. */
function serverOrNone(config: Config): ModelChoice | undefined {
  try {
    return serverAtBaseUrl(config, readVariable);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function refuseMissing(name: string, settings: Parameters<typeof tableOf>[0], now: ModelChoice | undefined): void {
  if (now?.kind === "server" && now.endpoint.entry.name === name) return;
  const table = tableOf(settings);
  const entry = table.get(name);
  if (!entry) {
    const near = nearest(name, [...table.keys()]);
    throw new UserError({
      what: `There is no provider "${name}"`,
      why: `known are ${[...table.keys()].join(", ")}`,
      fix: near === undefined ? '"providers" in settings.json adds providers' : `Did you mean --provider ${near}?`,
    });
  }
  const missing = missingOf(entry, readVariable);
  if (missing) throw missing;
}

function section({ entry, baseUrl, keyFrom, isListed, why, models }: AvailableProvider): string {
  const from = isListed ? "as it lists them" : `from the catalogue: ${why}`;
  const head = `${entry.label} (${entry.name}) at ${baseUrl}${
    keyFrom === undefined ? "" : `, key from ${keyFrom}`
  }; ${from}`;
  const width = Math.min(60, Math.max(0, ...models.map(({ name }) => name.length)));
  const titles = models.length === 0 ? [] : [`  ${"model".padEnd(width)}  ${TITLES}`];
  const rows = models.map((model) => `  ${model.name.padEnd(width)}  ${columns(model)}`.trimEnd());
  return [head, ...titles, ...rows].join("\n");
}

/** Over the columns of `columns`; prices are USD per million tokens. */
const TITLES = "window output    in/1M   out/1M  abilities";

/** Window, longest output, price of input and output, abilities. */
function columns(
  { contextWindow, maxTokens, isKnown, isWindowKnown, price, seesImages, reasons }: AvailableModel,
): string {
  const size = [isWindowKnown ? tokens(contextWindow) : "?", isKnown ? tokens(maxTokens) : "?"]
    .map((text) => text.padStart(6)).join(" ");
  const amounts = price ? [amount(price.input), amount(price.output)] : ["?", "?"];
  return `${size} ${amounts.map((text) => text.padStart(8)).join(" ")}  ${
    [...(seesImages ? ["images"] : []), ...(reasons ? ["thinks"] : [])].join(" ")
  }`;
}

function amount(cost: number): string {
  return cost === 0 ? "free" : usd(cost);
}

function checkLines(found: readonly AvailableProvider[]): readonly string[] {
  return found.map(({ entry, baseUrl, keyFrom, isListed, why, models }) =>
    `${isListed ? "ok " : "-- "} ${entry.name.padEnd(16)} ${baseUrl}${
      keyFrom === undefined ? "" : `, key from ${keyFrom}`
    }: ` +
    (isListed ? counted(models.length, "model") : why ?? "")
  );
}

function asJson({ entry, baseUrl, keyFrom, isListed, why, models }: AvailableProvider): object {
  return {
    provider: entry.name,
    label: entry.label,
    api: entry.api,
    baseUrl,
    keyFrom: keyFrom ?? null,
    listed: isListed,
    ...(why === undefined ? {} : { why }),
    models: models.map(modelJson),
  };
}
