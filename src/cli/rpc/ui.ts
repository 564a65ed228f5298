import type { HostUi } from "../../core/host_actions.ts";
import type { RpcQuestions } from "./questions.ts";
import { type AskGrant, type ExtensionPermissions, GRANT_KINDS, type GrantAnswer } from "../../core/hook.ts";

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

const OPTIONS: Readonly<Record<string, GrantAnswer>> = {
  "No": "no",
  "Yes, until it is loaded again": "once",
  "Yes, for this session": "session",
  "Always, until one of its files changes": "always",
};

/** Asks over `extension_ui_request`, method `select`; `permissions` holds what the title says, as data. */
export function rpcGrants({ dialog, opened }: Pick<RpcQuestions, "dialog" | "opened">): AskGrant {
  return async ({ name, path, hash, wants }, signal) => {
    await opened;
    const title = `Extension ${name} asks for: ${wordsOf(wants)}`;
    const fields = { title, options: Object.keys(OPTIONS), extension: name, permissions: { path, hash, wants } };
    const chosen = await dialog("select", fields, signal);
    return typeof chosen === "string" && Object.hasOwn(OPTIONS, chosen) ? OPTIONS[chosen] ?? "no" : "no";
  };
}

function wordsOf(wants: ExtensionPermissions): string {
  return GRANT_KINDS.flatMap((kind) => (wants[kind] ?? []).map((item) => `${kind} ${item}`)).join(", ");
}
