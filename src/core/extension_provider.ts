/** A provider that an extension asks for, in one line: `NAME API URL`, and the variable of its key where it wants one. */
export interface ExtensionProvider {
  readonly name: string;
  readonly api: "chat" | "responses" | "anthropic";
  readonly baseUrl: string;
  readonly keyEnv?: string;
}

const LINE =
  /^([a-z0-9][a-z0-9-]{0,63}) (chat|responses|anthropic) (https:\/\/[^\s{}@?#]+|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?(?:\/[^\s{}@?#]*)?)(?: ([A-Z][A-Z0-9_]{1,99}))?$/;

/**
 * Reads such a line; nothing for any other text. What a person sees when asked is all there is: no variables in the address,
 * no name or password, and without https only this machine.
 */
export function readExtensionProvider(line: string): ExtensionProvider | undefined {
  const [, name = "", api = "", baseUrl = "", keyEnv] = LINE.exec(line) ?? [];
  if (name === "" || !URL.canParse(baseUrl) || (api !== "chat" && api !== "responses" && api !== "anthropic")) {
    return undefined;
  }
  return { name, api, baseUrl: baseUrl.replace(/\/+$/, ""), ...(keyEnv === undefined ? {} : { keyEnv }) };
}
