import { counted } from "../../core/support/text.ts";
import type { Config } from "../../config/config.ts";
import type { SomeCapabilities } from "../../provider/capabilities/capabilities.ts";
import { endpointFacts } from "../../engine/model/endpoint_facts.ts";
import { openLearned } from "../../engine/model/learned.ts";
import type { ServerChoice } from "../../engine/model/model.ts";
import { openModel } from "../../engine/model/open_model.ts";
import { resolveChoice } from "../../engine/model/first_model.ts";
import {
  type Finding,
  MOST_PROBES,
  mostProbeCost,
  probe,
  PROBE_INPUT,
  PROBE_OUTPUT,
  probeFailure,
} from "../../engine/model/probe.ts";

/** Shows text to the user and asks questions; text is shown before a question. */
export interface Asking {
  /** `undefined` where nobody can be asked. */
  readonly ask: ((question: string) => boolean) | undefined;
  readonly tell: (line: string) => void;
}

/** What looking at a model came to: rows for the table, none where nothing was sent. */
export async function lookAtModel(
  choice: ServerChoice,
  config: Config,
  { ask, tell }: Asking,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const isYes = config.invocation.values["yes"] === true;
  const agrees = (question: string): boolean => isYes || (ask?.(question) ?? false);
  const { endpoint } = choice;
  const { host } = new URL(endpoint.baseUrl);
  const named = endpoint.model === "" ? `the only model of ${endpoint.entry.label}` : endpoint.model;
  tell(
    `At most ${MOST_PROBES} requests to ${named} at ${host} can find out what it takes. ${costWords(choice, config)}`,
  );
  if (!agrees("Send them?")) {
    tell(`Nothing was sent${ask === undefined && !isYes ? "; --yes sends them" : ""}.`);
    return [];
  }
  let found: Finding[];
  try {
    const chosen = await resolveChoice(choice);
    if (chosen.kind !== "server") return [];
    const memory = openLearned(chosen.endpoint, config);
    const open = async (seams: Parameters<typeof openModel>[2]) => (await openModel(chosen, config, seams)).provider;
    const before = memory.recall();
    const { findings, learned, taken, requests } = await probe(open, before, signal);
    found = [...findings];
    tell(`${counted(requests, "request was", "requests were")} sent.`);
    const change = newIn({ ...taken, ...learned }, before);
    const names = Object.keys(change);
    if (names.length === 0) tell("Nothing new was found out: there is nothing to store.");
    else if (agrees(`Store what was found out (${names.join(", ")}) for the sessions to come?`)) {
      memory.remember(change);
      const problems = memory.warnings();
      for (const problem of problems) tell(problem);
      if (config.stateFolder === undefined || config.invocation.values["no-session"]) {
        tell("It was not stored: nothing is kept.");
      } else if (problems.length === 0) tell(`Stored: ${names.join(", ")}.`);
    } else tell("Nothing was stored.");
  } catch (error) {
    found = [probeFailure(error)];
  }
  return found;
}

/** What is not remembered already. */
function newIn(change: SomeCapabilities, before: SomeCapabilities): SomeCapabilities {
  const known = new Map(Object.entries(before).map(([name, value]) => [name, JSON.stringify(value)]));
  return Object.fromEntries(
    Object.entries(change).filter(([name, value]) => known.get(name) !== JSON.stringify(value)),
  );
}

function costWords({ endpoint }: ServerChoice, config: Config): string {
  const { price } = endpointFacts(endpoint, config.settings);
  const most = mostProbeCost(price);
  const tokens = `${MOST_PROBES * PROBE_INPUT} tokens of input and ${MOST_PROBES * PROBE_OUTPUT} of output`;
  if (most === undefined) return `Its price is not known: they are at most about ${tokens}.`;
  if (most === 0) return "They cost nothing.";
  return `They cost at most about $${most < 0.01 ? most.toFixed(4) : most.toFixed(2)} (${tokens}).`;
}
