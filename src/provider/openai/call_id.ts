import { sha256 } from "../../core/support/digest.ts";
import type { Capabilities } from "../capabilities/capabilities.ts";

/** A call id in the form that a server accepts; the same id always gives the same one, so calls and results still meet. */
export function wireCallId(id: string, rule: Capabilities["callIds"]): string {
  switch (rule) {
    case "keep":
      return id;
    case "mistral9":
      return /^[A-Za-z0-9]{9}$/.test(id) ? id : sha256(id).slice(0, 9);
    case "max40":
      return id.length <= 40 ? id : `call_${sha256(id).slice(0, 32)}`;
  }
}
