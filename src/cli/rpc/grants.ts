import { type AskGrant, type ExtensionPermissions, GRANT_KINDS, type GrantAnswer } from "../../core/hook.ts";
import type { RpcQuestions } from "./questions.ts";

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
