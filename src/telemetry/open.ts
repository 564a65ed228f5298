import type { AgentEvent } from "../core/event.ts";
import { VERSION } from "../core/version.ts";
import { createMetrics } from "./metrics.ts";
import { metricsBody, post, type Span, tracesBody } from "./otlp.ts";
import { telemetrySettings } from "./settings.ts";
import { type SessionFacts, spanMaker } from "./spans.ts";

/** Spans and metrics of one session, on their way to the user's collector. */
export interface Telemetry {
  readonly take: (event: AgentEvent) => void;
  /** Trace of the run at hand, else of the last one. */
  readonly traceId: () => string | undefined;
  /** Sends what is left, and comes back soon also where nobody takes it. */
  readonly close: () => Promise<void>;
}

/** What telemetry is opened with. */
export interface TelemetryOptions {
  readonly variable: (name: string) => string | undefined;
  readonly facts: () => SessionFacts;
  /** Told once, when something was not delivered. */
  readonly notify: (message: string) => void;
}

/** So many spans that have ended are sent together, at the latest. */
const MOST_SPANS = 256;

/** How long the end of the session waits for what is on its way, milliseconds. */
const LAST_MS = 2_000;

/**
 * Telemetry as the environment asks for it; undefined where it is off. Throws UserError for variables that cannot be
 * followed. Nothing that happens to it later changes a run.
 */
export function openTelemetry({ variable, facts, notify }: TelemetryOptions): Telemetry | undefined {
  const settings = telemetrySettings(variable);
  if (!settings) return undefined;
  const { tracesUrl, metricsUrl, resource, parent, capturesContent } = settings;
  const now = (): number => performance.timeOrigin + performance.now();
  const startMs = now();
  const stop = new AbortController();
  const metrics = createMetrics();
  let spans: Span[] = [];
  let sending = Promise.resolve();
  let isTold = false;
  const tell = (why: string | undefined): void => {
    if (why === undefined || isTold) return;
    isTold = true;
    notify(`Telemetry was not delivered: ${why}. The run goes on without it`);
  };
  const send = (isLast: boolean): void => {
    const batch = spans;
    spans = [];
    const histograms = isLast ? metrics.histograms() : [];
    if (batch.length + histograms.length === 0) return;
    const nowMs = now();
    // One request after the other: a collector that is slow gets no more of them.
    sending = sending.then(async () => {
      const bodies = [
        ...(tracesUrl && batch.length > 0 ? [[tracesUrl, tracesBody(batch, resource, VERSION)] as const] : []),
        ...(metricsUrl && histograms.length > 0
          ? [[metricsUrl, metricsBody(histograms, { startMs, nowMs }, resource, VERSION)] as const]
          : []),
      ];
      for (const [url, body] of bodies) tell(await post(url, body, settings, stop.signal));
    });
  };
  const maker = spanMaker({
    facts,
    now,
    randomHex: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)).toHex(),
    capturesContent,
    ...(parent ? { parent } : {}),
    ended(span) {
      metrics.take(span);
      spans.push(span);
      if (spans.length >= MOST_SPANS) send(false);
    },
  });
  return {
    traceId: maker.traceId,
    take(event) {
      maker.take(event);
      if (event.type === "agent_settled") send(true);
    },
    async close() {
      maker.close();
      if (spans.length > 0) send(true);
      const timer = setTimeout(() => stop.abort(new Error("the session ended before it was taken")), LAST_MS);
      await sending;
      clearTimeout(timer);
    },
  };
}
