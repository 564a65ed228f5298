import type { Hooks } from "../../core/hook.ts";
import type { RequestSeams } from "../open_model.ts";

/** Requests as hooks leave them, right before they are sent (R213–R217). */
export function requestSeams(hooks: () => Hooks | undefined): RequestSeams {
  const listening = (
    event: "before_provider_request" | "before_provider_headers" | "after_provider_response",
  ): Hooks | undefined => {
    const opened = hooks();
    return opened?.has(event) ? opened : undefined;
  };
  return {
    beforeRequest: (payload) =>
      listening("before_provider_request")?.beforeProviderRequest(payload, new AbortController().signal),
    beforeHeaders: async () =>
      await listening("before_provider_headers")?.beforeProviderHeaders({}, new AbortController().signal) ?? {},
    onResponse: (status, headers) => {
      const opened = listening("after_provider_response");
      if (opened) void opened.observe({ type: "after_provider_response", status, headers: headers() });
    },
  };
}
