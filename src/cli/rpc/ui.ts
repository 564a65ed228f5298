import type { HostUi } from "../../core/host_actions.ts";
import type { RpcQuestions } from "./questions.ts";

/** Dialogs of extensions as `extension_ui_request` lines, in pi's shapes. */
export function rpcUi({ dialog, tell }: Pick<RpcQuestions, "dialog" | "tell">): HostUi {
  const bounded = (signal: AbortSignal, timeoutMs: number | undefined): AbortSignal =>
    timeoutMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const limit = (timeoutMs: number | undefined) => timeoutMs === undefined ? {} : { timeout: timeoutMs };
  const textOrNothing = (value: unknown): string | undefined => typeof value === "string" ? value : undefined;
  const done = Promise.resolve();
  return {
    async select(title, options, { timeoutMs }, { extension, signal }) {
      const fields = { title, options, extension, ...limit(timeoutMs) };
      const chosen = textOrNothing(await dialog("select", fields, bounded(signal, timeoutMs)));
      return options.find((option) => option === chosen);
    },
    async confirm(title, message, { timeoutMs }, { extension, signal }) {
      const fields = { title, message, extension, ...limit(timeoutMs) };
      return await dialog("confirm", fields, bounded(signal, timeoutMs)) === true;
    },
    async input(title, placeholder, { timeoutMs }, { extension, signal }) {
      const fields = { title, ...(placeholder ? { placeholder } : {}), extension, ...limit(timeoutMs) };
      return textOrNothing(await dialog("input", fields, bounded(signal, timeoutMs)));
    },
    notify(message, notifyType, { extension }) {
      tell("notify", { message, notifyType, extension });
      return done;
    },
    setStatus(statusKey, statusText, { extension }) {
      tell("setStatus", { statusKey, ...(statusText === undefined ? {} : { statusText }), extension });
      return done;
    },
  };
}
