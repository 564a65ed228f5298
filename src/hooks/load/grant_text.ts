import type { ExtensionPermissions } from "../../core/hook.ts";

/**
 * What a person is told of an extension that was not granted everything: what is missing, and the setting with which
 * exactly these files get all that they ask for.
 */
export function missingText(hash: string, wants: ExtensionPermissions, missing: readonly string[]): string {
  const setting = { extensions: { grants: { [hash]: wants } } };
  return `runs without what it asks for and was not granted: ${missing.join(", ")}. ` +
    `To grant all that it asks for, put this into your own settings.json: ${JSON.stringify(setting)}`;
}
