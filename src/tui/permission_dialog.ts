import { grantOption } from "../core/grant_option.ts";
import type { Denial, PermissionAnswer } from "../core/event.ts";
import { type Answer, answersDialog, type Draft } from "./answers_dialog.ts";
import type { Dialog } from "./dialog.ts";
import { cleanLine } from "./foreign.ts";
import { wrap } from "./wrap.ts";

const ANSWERS: readonly [Answer<PermissionAnswer>, ...Answer<PermissionAnswer>[]] = [
  { key: "n", answer: "no", label: "No" },
  { key: "o", answer: "once", label: "Yes, this once", short: "once" },
  { key: "s", answer: "session", label: "Yes, for this session", short: "session" },
  { key: "p", answer: "project", label: "Yes, for this project (kept in your settings)", short: "project" },
];

const VERBS = { read: "read", write: "write", run: "run", net: "connect to" } as const;

/** What a permission dialog asks about. */
export interface PermissionQuestion {
  readonly toolName: string;
  readonly denial: Denial;
  readonly draft: Draft;
  readonly now: () => number;
  /** Called once. */
  readonly done: (answer: PermissionAnswer) => void;
}

/** Asks whether what the sandbox refused may happen. "No" is chosen at the start. */
export function permissionDialog({ toolName, denial, draft, now, done }: PermissionQuestion): Dialog {
  const [target, grant] = [cleanLine(denial.target), cleanLine(denial.grant)];
  const what = target === "*" ? `${VERBS[denial.kind]} anything` : `${VERBS[denial.kind]} ${target}`;
  return answersDialog({
    head({ width, theme }) {
      const option = grantOption(denial.kind, grant);
      return [
        ...wrap(theme.warn(`▣ The sandbox refused ${cleanLine(toolName)}: ${what}`), width),
        ...wrap(theme.dim(`The smallest grant that lets it pass: ${option}`), width),
      ];
    },
    answers: ANSWERS,
    hint: (key) => `${key} shows the whole call`,
    draft,
    now,
    done,
  });
}
