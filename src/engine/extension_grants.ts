import { messageOf, UserError } from "../core/error.ts";
import type { AskGrant, ExtensionPermissions, GrantAnswer, GrantRequest, HookProblem } from "../core/hook.ts";
import type { GrantVerdict } from "../hooks/load/start_extension.ts";
import { grantFolder } from "./tools/grant_folder.ts";
import type { Config } from "../config/config.ts";
import { recordExtensionGrant } from "./tools/grants.ts";

const LOADED_AGAIN = "was loaded again, with what it asked for";

/** How a mode asks about extensions. */
export interface GrantApproval {
  readonly ask: AskGrant;
  /**
   * Nobody can answer before the session is open: extensions that are granted something after that are loaded once
   * more.
   */
  readonly isLater?: boolean;
}

/** What extensions were granted in a session, and the questions about it. */
export interface ExtensionGrants {
  /** By the hash of an extension's files: what the user's own settings say, and what was answered for the session. */
  readonly kept: () => ReadonlyMap<string, ExtensionPermissions>;
  /** Takes what the user's own settings say now; what was answered for the session stays. */
  readonly take: (user: Config["user"]) => void;
  /** Asks while an extension loads; absent where nobody can be asked. */
  readonly verdict: ((request: GrantRequest) => Promise<GrantVerdict>) | undefined;
  /** Asks what was put off; `reload`: loads all extensions once more, for what was granted. Never rejects. */
  readonly settle: (reload: () => Promise<void>) => Promise<void>;
  /**
   * Another session begins: no answer holds in it but those for good. Whether something that was loaded has what it may not
   * have any more, and all have to be loaded again.
   */
  readonly beginSession: () => boolean;
  /** Takes open questions back. */
  readonly close: () => void;
}

/** Grants of one session. Only the user's own settings count: a project cannot grant its extensions anything. */
export function createExtensionGrants(
  config: Pick<Config, "user" | "userFolder" | "auditFolder">,
  asking: GrantApproval | undefined,
  report: (problem: HookProblem) => void,
): ExtensionGrants {
  let settings = config.user.extensions?.grants ?? {};
  const answered = new Map<string, ExtensionPermissions>();
  const refused = new Set<string>();
  const onceMore = new Set<string>();
  const open = new Map<string, GrantRequest>();
  /** Whether a grant was given that ends with the session. */
  let isHeld = false;
  const closed = new AbortController();

  const tell = (extension: string, message: string): void => report({ extension, level: "warning", message });
  const tellRefusal = async ({ name, hash, wants }: GrantRequest): Promise<void> => {
    const [{ missingText }, { missingOf }] = await Promise.all([
      import("../hooks/load/grant_text.ts"),
      import("../hooks/worker/permissions.ts"),
    ]);
    tell(name, missingText(hash, wants, missingOf(wants, {})));
  };
  const ask = async (request: GrantRequest): Promise<GrantAnswer> => {
    const answer = await asking?.ask(request, closed.signal).catch((): GrantAnswer => "no") ?? "no";
    if (answer === "no" && !closed.signal.aborted) refused.add(request.hash);
    if (answer === "session" || answer === "always") answered.set(request.hash, request.wants);
    isHeld ||= answer === "once" || answer === "session";
    if (answer === "always") {
      try {
        recordExtensionGrant(grantFolder(config), request.hash, request.wants);
        settings = { ...settings, [request.hash]: request.wants };
      } catch (error) {
        const message = error instanceof UserError ? `${error.message}. ${error.fix}` : messageOf(error);
        tell(request.name, message);
        isHeld = true;
      }
    }
    return answer;
  };

  return {
    kept: () => new Map([...Object.entries(settings), ...answered]),
    take: (user) => void (settings = user.extensions?.grants ?? {}),
    verdict: asking && (async (request) => {
      if (onceMore.delete(request.hash)) return "granted";
      if (refused.has(request.hash)) return "refused";
      if (asking.isLater) {
        open.set(request.hash, request);
        return "open";
      }
      return await ask(request) === "no" ? "refused" : "granted";
    }),
    async settle(reload) {
      const requests = [...open.values()];
      open.clear();
      const granted: GrantRequest[] = [];
      for (const request of requests) {
        const { hash } = request;
        const answer = await ask(request);
        if (closed.signal.aborted) return;
        if (answer === "once") onceMore.add(hash);
        if (answer === "no") await tellRefusal(request);
        else granted.push(request);
      }
      if (granted.length === 0) return;
      try {
        await reload();
        for (const { name } of granted) report({ extension: name, level: "info", message: LOADED_AGAIN });
      } catch (error) {
        for (const { name } of granted) tell(name, messageOf(error));
      }
    },
    beginSession() {
      const mustLoad = isHeld;
      isHeld = false;
      answered.clear();
      refused.clear();
      onceMore.clear();
      return mustLoad;
    },
    close: () => closed.abort(),
  };
}
