import { UserError } from "../core/error.ts";

/** What switches telemetry on, and to what: `otlp`. */
export const SWITCH = "SANDPIPER_TELEMETRY";

/** Where spans and metrics go, and what is in them. */
export interface TelemetrySettings {
  /** Absent: no spans are sent. */
  readonly tracesUrl?: string;
  /** Absent: no metrics are sent. */
  readonly metricsUrl?: string;
  /** Of every request; may hold a token. */
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of the resource, `service.name` among them. */
  readonly resource: Readonly<Record<string, string>>;
  /** Longest time of one request, milliseconds. */
  readonly timeoutMs: number;
  /** Whether texts of messages and calls are sent, too. */
  readonly capturesContent: boolean;
  /** The trace that runs belong to, where whoever started the program has one (W3C Trace Context). */
  readonly parent?: { readonly traceId: string; readonly spanId: string };
}

const ENDPOINT = "http://localhost:4318";
const TIMEOUT_MS = 10_000;

/**
 * Reads the variables of OpenTelemetry's specification; undefined where telemetry is off, which it is unless `SWITCH` is
 * `otlp`. Throws UserError for what cannot be done: nothing is sent elsewhere, or in another shape, than was asked for.
 */
export function telemetrySettings(variable: (name: string) => string | undefined): TelemetrySettings | undefined {
  const wanted = variable(SWITCH)?.trim() ?? "";
  if (wanted === "" || wanted === "off") return undefined;
  if (wanted !== "otlp") throw wrong(SWITCH, wanted, "otlp, or off");
  if (variable("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  const of = (signal: "TRACES" | "METRICS"): string | undefined => {
    const exporter = variable(`OTEL_${signal}_EXPORTER`) || "otlp";
    if (exporter === "none") return undefined;
    if (exporter !== "otlp") throw wrong(`OTEL_${signal}_EXPORTER`, exporter, "otlp, or none");
    const protocol = variable(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) || variable("OTEL_EXPORTER_OTLP_PROTOCOL");
    if (protocol && protocol !== "http/json") throw wrong("OTEL_EXPORTER_OTLP_PROTOCOL", protocol, "http/json");
    const own = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
    const base = variable("OTEL_EXPORTER_OTLP_ENDPOINT") || ENDPOINT;
    const named = variable(own);
    return named
      ? urlOf(own, named)
      : urlOf("OTEL_EXPORTER_OTLP_ENDPOINT", `${base.replace(/\/+$/, "")}/v1/${signal.toLowerCase()}`);
  };
  const [tracesUrl, metricsUrl] = [of("TRACES"), of("METRICS")];
  const parent = parentOf(variable("TRACEPARENT"));
  return {
    ...(tracesUrl === undefined ? {} : { tracesUrl }),
    ...(metricsUrl === undefined ? {} : { metricsUrl }),
    headers: headersOf("OTEL_EXPORTER_OTLP_HEADERS", variable("OTEL_EXPORTER_OTLP_HEADERS")),
    resource: {
      "service.name": "sandpiper",
      ...pairs("OTEL_RESOURCE_ATTRIBUTES", variable("OTEL_RESOURCE_ATTRIBUTES")),
      ...(variable("OTEL_SERVICE_NAME") ? { "service.name": variable("OTEL_SERVICE_NAME") ?? "" } : {}),
    },
    timeoutMs: timeoutOf(variable("OTEL_EXPORTER_OTLP_TIMEOUT")),
    capturesContent: variable("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")?.toLowerCase() === "true",
    ...(parent ? { parent } : {}),
  };
}

function urlOf(name: string, value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw wrong(name, "…", "an http or https address");
  return url.href;
}

/** `name=value,name=value`, percent-encoded. A value is never repeated in an error, nor is an address: both may have a token. */
function pairs(name: string, text = ""): Record<string, string> {
  return Object.fromEntries(
    text.split(",").filter((part) => part.trim() !== "").map((part) => {
      const at = part.indexOf("=");
      if (at < 1) throw wrong(name, "…", "name=value, with commas between them");
      try {
        return [part.slice(0, at).trim(), decodeURIComponent(part.slice(at + 1).trim())];
      } catch {
        throw wrong(name, "…", "percent-encoded values");
      }
    }),
  );
}

/** What cannot be sent is said before anything is: the runtime's sentence about it would have the token in it. */
function headersOf(name: string, text: string | undefined): Record<string, string> {
  const headers = pairs(name, text);
  try {
    new Headers(headers);
  } catch {
    throw wrong(name, "…", "names and values of HTTP headers");
  }
  return headers;
}

function timeoutOf(value: string | undefined): number {
  if (!value) return TIMEOUT_MS;
  const ms = Number(value);
  if (Number.isFinite(ms) && ms > 0) return ms;
  throw wrong("OTEL_EXPORTER_OTLP_TIMEOUT", value, "milliseconds");
}

/** What is not of this form is passed over, as the specification of `traceparent` says. */
function parentOf(value: string | undefined): TelemetrySettings["parent"] {
  const [, traceId = "", spanId = ""] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(value?.trim() ?? "") ??
    [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId) ? { traceId, spanId } : undefined;
}

function wrong(name: string, value: string, takes: string): UserError {
  return new UserError({
    what: `Cannot send telemetry: ${name} is "${value}"`,
    why: `it takes ${takes}`,
    fix: `Correct it, or take ${SWITCH} away. docs/telemetry.md has them all`,
  });
}
