import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Denial, PermissionAnswer } from "../core/event.ts";
import type { Dialog } from "./dialog.ts";
import { cleanLine } from "./foreign.ts";
import { cut, wrap } from "./wrap.ts";

/** Keys count as an answer only when nobody has typed for this long: what was meant for the editor allows nothing. */
const SETTLE_MS = 500;

const ANSWERS: readonly { readonly key: string; readonly answer: PermissionAnswer; readonly label: string }[] = [
  { key: "n", answer: "no", label: "No" },
  { key: "o", answer: "once", label: "Yes, this once" },
  { key: "s", answer: "session", label: "Yes, for this session" },
  { key: "p", answer: "project", label: "Yes, for this project (kept in your settings)" },
];

const VERBS = { read: "read", write: "write", run: "run", net: "connect to" } as const;

/** What a permission dialog asks about. */
export interface PermissionQuestion {
  readonly toolName: string;
  readonly denial: Denial;
  readonly now: () => number;
  /** Called once. */
  readonly done: (answer: PermissionAnswer) => void;
}

/** Asks whether what the sandbox refused may happen. "No" is chosen at the start. */
export function permissionDialog({ toolName, denial, now, done }: PermissionQuestion): Dialog {
  let at = 0;
  let quietSince = now();
  const [target, grant] = [cleanLine(denial.target), cleanLine(denial.grant)];
  const what = target === "*" ? `${VERBS[denial.kind]} anything` : `${VERBS[denial.kind]} ${target}`;
  return {
    keepsEditor: true,
    lines({ width, theme }) {
      const option = grant === "*" ? `--allow-${denial.kind}` : `--allow-${denial.kind}=${grant}`;
      return [
        ...wrap(theme.warn(`▣ The sandbox refused ${cleanLine(toolName)}: ${what}`), width),
        ...wrap(theme.dim(`The smallest grant that lets it pass: ${option}`), width),
        ...ANSWERS.map(({ key, label }, index) => {
          const line = cut(`${index === at ? "❯" : " "} ${key}  ${label}`, width);
          return index === at ? theme.strong(line) : line;
        }),
        cut(theme.dim("↑↓ and Enter, or the letter · Esc: no"), width),
      ];
    },
    key(data) {
      const isSettled = now() - quietSince >= SETTLE_MS;
      if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) {
        done("no");
        return true;
      }
      if (matchesKey(data, "up") || matchesKey(data, "down")) {
        at = (at + (matchesKey(data, "up") ? ANSWERS.length - 1 : 1)) % ANSWERS.length;
        return true;
      }
      if (!isSettled) {
        quietSince = now();
        return matchesKey(data, "enter"); // words go on into the editor; an Enter among them is nobody's
      }
      const chosen = matchesKey(data, "enter") ? ANSWERS[at] : ANSWERS.find(({ key }) => key === data.toLowerCase());
      if (chosen) done(chosen.answer);
      return true;
    },
  };
}
