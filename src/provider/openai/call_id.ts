import { sha256 } from "../../core/support/digest.ts";
import type { ServerProfile } from "./server_profile.ts";

/** A call id in the form that a server accepts; the same id always gives the same one, so calls and results still meet. */
export function wireCallId(id: string, rule: ServerProfile["callId"]): string {
  switch (rule) {
    case "keep":
      return id;
    case "mistral9":
      return /^[A-Za-z0-9]{9}$/.test(id) ? id : sha256(id).slice(0, 9);
    case "max40":
      return id.length <= 40 ? id : `call_${sha256(id).slice(0, 32)}`;
  }
}
