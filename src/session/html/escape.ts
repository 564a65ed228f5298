import { visible } from "../view/visible_text.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as it may stand between tags and inside quoted attributes; what could steer the page's direction is removed. */
export function escapeHtml(text: string): string {
  return escapeVisible(visible(text));
}

/** The same for a text that is `visible()` already. */
export function escapeVisible(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
