import { messageOf } from "../core/error.ts";
import type { JsonObject } from "../core/json.ts";
import type { TelemetrySettings } from "./settings.ts";

/** What attributes are made of. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by name; those that are undefined are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** A span that has ended. Times are milliseconds since the epoch. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** Whether it is a request to another program. */
  readonly isClient: boolean;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Absent where nothing failed. */
  readonly error?: string;
}

/** A histogram since the start of the session. */
export interface Histogram {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** Upper bounds of all buckets but the last. */
  readonly bounds: readonly number[];
  readonly points: readonly {
    readonly attributes: Attributes;
    readonly counts: readonly number[];
    readonly sum: number;
    readonly min: number;
    readonly max: number;
  }[];
}

const SCOPE_NAME = "sandpiper";
const [KIND_INTERNAL, KIND_CLIENT] = [1, 3];
const STATUS_ERROR = 2;
const CUMULATIVE = 2;

/** The body of a request to `/v1/traces`, JSON as OTLP 1 has it: ids in hex, 64-bit numbers as texts. */
export function tracesBody(spans: readonly Span[], resource: Attributes, version: string): JsonObject {
  const scope = { name: SCOPE_NAME, version };
  return {
    resourceSpans: [{
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope, spans: spans.map(spanJson) }],
    }],
  };
}

function spanJson(
  { traceId, spanId, parentSpanId, name, isClient, startMs, endMs, attributes, error }: Span,
): JsonObject {
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: isClient ? KIND_CLIENT : KIND_INTERNAL,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues(attributes),
    ...(error === undefined ? {} : { status: { code: STATUS_ERROR, message: error } }),
  };
}

/** The body of a request to `/v1/metrics`. */
export function metricsBody(
  histograms: readonly Histogram[],
  { startMs, nowMs }: { readonly startMs: number; readonly nowMs: number },
  resource: Attributes,
  version: string,
): JsonObject {
  const times = { startTimeUnixNano: nanoseconds(startMs), timeUnixNano: nanoseconds(nowMs) };
  const metrics = histograms.map(({ name, unit, description, bounds, points }): JsonObject => ({
    ...{ name, unit, description },
    histogram: {
      aggregationTemporality: CUMULATIVE,
      dataPoints: points.map(({ attributes, counts, sum, min, max }): JsonObject => ({
        ...{ attributes: keyValues(attributes), ...times, sum, min, max },
        count: String(counts.reduce((all, count) => all + count, 0)),
        bucketCounts: counts.map(String),
        explicitBounds: [...bounds],
      })),
    },
  }));
  const scope = { name: SCOPE_NAME, version };
  return { resourceMetrics: [{ resource: { attributes: keyValues(resource) }, scopeMetrics: [{ scope, metrics }] }] };
}

function keyValues(attributes: Attributes): JsonObject[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }]
  );
}

function anyValue(value: AttributeValue): JsonObject {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") {
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
}

/** Times are to a microsecond: a double has no more. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

/** Sends a body. Gives why it was not taken, in a clause without headers and address; undefined where it was. */
export async function post(
  url: string,
  body: JsonObject,
  { headers, timeoutMs }: Pick<TelemetrySettings, "headers" | "timeoutMs">,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      // The headers are for the address that was named.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `it answered ${response.status}`;
  } catch (error) {
    // The runtime's sentence has the address in it, which may hold a token.
    const { origin, host } = new URL(url);
    return [url, origin, host].reduce((text, known) => text.replaceAll(known, "its address"), messageOf(error));
  }
}
