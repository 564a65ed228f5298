import type { Hooks } from "../../core/hook.ts";
import type { RequestSeams } from "../open_model.ts";

/** Requests as hooks leave them, right before they are sent (R213–R217). */
export function requestSeams(hooks: () => Hooks | undefined): RequestSeams {
  const listening = (event: "before_provider_request" | "before_provider_headers"): Hooks | undefined => {
    const opened = hooks();
    return opened?.has(event) ? opened : undefined;
  };
  return {
    beforeRequest: async (payload) =>
      await listening("before_provider_request")?.beforeProviderRequest(payload, new AbortController().signal) ??
        payload,
    beforeHeaders: async () =>
      await listening("before_provider_headers")?.beforeProviderHeaders({}, new AbortController().signal) ?? {},
  };
}
