import type { AssistantMessage } from "../../core/message.ts";
import type { Provider, ProviderEvent, ProviderRequest } from "../../core/provider.ts";
import { HIDDEN, hideForms, secretForms } from "../../core/support/hide_secrets.ts";

/** A reply that was cut may go on in the next one: a longer beginning of a secret at its end is hidden, too. UTF-16 units. */
const LONG_BEGINNING = 6;

/** A stream of text without secrets, also those that arrive in pieces. */
export interface TextFilter {
  /** Returns what can be shown by now: only a possible beginning of a secret is held back. */
  push(text: string): string;
  /** Returns what was held back; `isCut`: more of it may come in another reply. */
  end(isCut: boolean): string;
}

/** A filter for one stream of text. `forms`: the texts that are hidden. */
export function createTextFilter(forms: readonly string[]): TextFilter {
  const first = new Set(forms.map((form) => form[0]));
  let held = "";
  return {
    push(text) {
      const all = held + text;
      held = "";
      let shown = "";
      let from = 0;
      for (let at = 0; at < all.length; at++) {
        if (!first.has(all[at])) continue;
        const rest = all.length - at;
        // A longer secret may begin with a shorter one.
        if (forms.some((form) => form.length > rest && form.startsWith(all.slice(at)))) {
          held = all.slice(at);
          return shown + all.slice(from, at);
        }
        const form = forms.find((one) => all.startsWith(one, at));
        if (form === undefined) continue;
        shown += all.slice(from, at) + HIDDEN;
        from = at + form.length;
        at = from - 1;
      }
      return shown + all.slice(from);
    },
    end(isCut) {
      const rest = held;
      held = "";
      return isCut && rest.length >= LONG_BEGINNING ? HIDDEN : rest;
    },
  };
}

/**
 * A provider whose replies have no secrets in them: not in text, reasoning, calls and failures, whole or in pieces. What
 * a server repeats of a key would be shown and stored otherwise. `secrets` is asked for each reply.
 */
export function withoutSecrets(provider: Provider, secrets: () => readonly string[]): Provider {
  async function* stream(request: ProviderRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    const filters = new Map<string, TextFilter>();
    let forms: readonly string[] | undefined;
    const filterOf = (name: string): TextFilter => {
      const filter = filters.get(name) ?? createTextFilter(forms ??= secretForms(secrets()));
      filters.set(name, filter);
      return filter;
    };
    for await (const event of provider.stream(request, signal)) {
      if (event.type === "end") {
        // Also a key that was read while the request was made.
        forms = secretForms(secrets());
        const isCut = event.message.stopReason === "length";
        const message = cleanMessage(event.message, forms, isCut);
        for (const [name, filter] of filters) {
          const delta = filter.end(isCut);
          if (delta !== "") yield deltaOf(name, delta);
        }
        yield message === event.message ? event : { ...event, message };
      } else if (event.type === "notice") {
        yield { ...event, message: hideForms(event.message, secretForms(secrets())) };
      } else {
        const name = event.type === "toolcall_delta" ? `${event.type} ${event.index}` : event.type;
        const delta = filterOf(name).push(event.delta);
        const isCall = event.type === "toolcall_delta" && event.name !== undefined;
        if (delta !== "" || isCall) yield { ...event, delta };
      }
    }
  }
  return { name: provider.name, model: provider.model, stream };
}

function deltaOf(name: string, delta: string): ProviderEvent {
  const [type, index] = name.split(" ");
  return type === "toolcall_delta"
    ? { type, index: Number(index), delta }
    : { type: type as "text_delta" | "thinking_delta", delta };
}

/** The message without secrets; the same object where there are none. */
function cleanMessage(message: AssistantMessage, forms: readonly string[], isCut: boolean): AssistantMessage {
  if (forms.length === 0) return message;
  const hidden = hideForms(message, forms);
  const content = hidden.content.map((part) =>
    isCut && part.type === "text" ? { ...part, text: withoutBeginning(part.text, forms) } : part
  );
  const cleaned = { ...hidden, content };
  if (JSON.stringify(cleaned) === JSON.stringify(message)) return message;
  // What a server signed of its own words does not fit the changed ones.
  const { keep: _keep, ...rest } = cleaned;
  return rest;
}

function withoutBeginning(text: string, forms: readonly string[]): string {
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, text.length); length >= LONG_BEGINNING; length--) {
      if (text.endsWith(form.slice(0, length))) return text.slice(0, -length) + HIDDEN;
    }
  }
  return text;
}
