import type { Denial, PermissionAnswer } from "../core/event.ts";
import { type Answer, answersDialog } from "./answers_dialog.ts";
import type { Dialog } from "./dialog.ts";
import { cleanLine } from "./foreign.ts";
import { wrap } from "./wrap.ts";

const ANSWERS: readonly [Answer<PermissionAnswer>, ...Answer<PermissionAnswer>[]] = [
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
  const [target, grant] = [cleanLine(denial.target), cleanLine(denial.grant)];
  const what = target === "*" ? `${VERBS[denial.kind]} anything` : `${VERBS[denial.kind]} ${target}`;
  return answersDialog({
    head({ width, theme }) {
      const option = grant === "*" ? `--allow-${denial.kind}` : `--allow-${denial.kind}=${grant}`;
      return [
        ...wrap(theme.warn(`▣ The sandbox refused ${cleanLine(toolName)}: ${what}`), width),
        ...wrap(theme.dim(`The smallest grant that lets it pass: ${option}`), width),
      ];
    },
    answers: ANSWERS,
    now,
    done,
  });
}
