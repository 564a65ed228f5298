import { deniedThing } from "../transcript/denial_words.ts";
import { Input } from "@earendil-works/pi-tui/dist/components/input.js";
import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Denial, PermissionAnswer } from "../../core/event.ts";
import { describeDenial, grantOption } from "../../core/grant_option.ts";
import type { GrantAnswer, GrantRequest } from "../../core/hook.ts";
import { cleanLine, cleanText } from "../screen/foreign.ts";
import { cut, wrap } from "../screen/wrap.ts";
import { grantLines } from "../transcript/grant_lines.ts";
import type { PlanChoice, Question } from "../transcript/questions.ts";
import type { Dialog } from "../widgets/dialog.ts";
import { picker } from "../widgets/picker.ts";
import { type Answer, answersDialog, type Draft } from "./answers_dialog.ts";

/** The dialog for a question; what is typed and is no answer goes into the draft. */
export function questionForm(question: Question, draft: Draft, now: () => number): Dialog {
  switch (question.kind) {
    case "permission":
      return permissionDialog({
        ...question.request,
        isAfterRun: question.isAfterRun === true,
        draft,
        now,
        done: question.done,
      });
    case "grant":
      return grantDialog(question.request, draft, now, question.done);
    case "plan":
      return answersDialog({
        head: ({ width, theme }) => wrap("Accept the plan? Nothing was written for it so far.", width).map(theme.warn),
        answers: PLAN_ANSWERS,
        draft,
        now,
        done: question.done,
      });
    case "select": {
      const choices = question.options.map((option) => ({ label: option, value: option }));
      return picker({ title: question.title, choices, done: question.done });
    }
    case "confirm": {
      const title = [question.title, question.message].map(cleanText).filter((part) => part !== "").join("\n");
      return answersDialog({
        head: ({ width, theme }) => wrap(title, width).map(theme.strong),
        answers: [{ key: "n", answer: false, label: "No" }, { key: "y", answer: true, label: "Yes" }],
        draft,
        now,
        done: question.done,
      });
    }
    case "input":
      return lineDialog(question.title, question.placeholder, question.done);
  }
}

const PLAN_ANSWERS: readonly [Answer<PlanChoice>, ...Answer<PlanChoice>[]] = [
  { key: "n", answer: "no", label: "Not now: say what should be different, or accept it later", short: "no" },
  {
    key: "a",
    answer: "accept",
    label: "Accept it: tools may do again what they could, and carry it out",
    short: "accept",
  },
  { key: "e", answer: "edit", label: "Change it first, in the editor", short: "edit" },
  { key: "x", answer: "off", label: "Leave planning without carrying it out", short: "leave" },
];

const GRANT_ANSWERS: readonly [Answer<GrantAnswer>, ...Answer<GrantAnswer>[]] = [
  { key: "n", answer: "no", label: "No, it runs without" },
  { key: "o", answer: "once", label: "Yes, until it is loaded again" },
  { key: "s", answer: "session", label: "Yes, for this session" },
  { key: "a", answer: "always", label: "Always, until one of its files changes (kept in your settings)" },
];

/** Asks whether an extension gets what its manifest asks for. "No" is chosen at the start. */
export function grantDialog(
  request: GrantRequest,
  draft: Draft,
  now: () => number,
  done: (answer: GrantAnswer) => void,
): Dialog {
  return answersDialog({
    head: ({ width, theme }) => [
      ...wrap(theme.warn(`▣ Extension ${cleanLine(request.name)} asks for more than it has:`), width),
      ...grantLines(request).flatMap((line) => wrap(`  ${line}`, width)),
      ...wrap(theme.dim(`${cleanLine(request.path)}, SHA-256 ${request.hash.slice(0, 16)}…`), width),
    ],
    answers: GRANT_ANSWERS,
    draft,
    now,
    done,
  });
}

/** Asks for one line of text; `done` is called once, without a text when it was left. */
function lineDialog(title: string, placeholder: string, done: (text: string | undefined) => void): Dialog {
  const input = new Input({ placeholder: cleanLine(placeholder) });
  input.focused = true;
  return {
    lines: ({ width, theme }) => [
      ...wrap(theme.strong(cleanLine(title)), width),
      ...input.render(width),
      cut(theme.dim("Enter takes it · Esc leaves"), width),
    ],
    key(data) {
      if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) done(undefined);
      else if (matchesKey(data, "enter")) done(input.getValue());
      else input.handleInput(data);
      return true;
    },
  };
}

const PERMISSION_ANSWERS: readonly [Answer<PermissionAnswer>, ...Answer<PermissionAnswer>[]] = [
  { key: "n", answer: "no", label: "No" },
  { key: "o", answer: "once", label: "Yes, this once: for this call alone", short: "once" },
  { key: "s", answer: "session", label: "Yes, for this session: for all its calls", short: "session" },
  { key: "p", answer: "project", label: "Yes, for this project: kept in your settings", short: "project" },
];

const AFTER_RUN_ANSWERS: readonly [Answer<PermissionAnswer>, ...Answer<PermissionAnswer>[]] = [
  { key: "n", answer: "no", label: "No" },
  { key: "s", answer: "session", label: "Yes, for this session", short: "session" },
  { key: "p", answer: "project", label: "Yes, for this project: kept in your settings", short: "project" },
];

/** What a permission dialog asks about. */
export interface PermissionQuestion {
  readonly toolName: string;
  /** The sub-agent whose call it was, and what it is about. */
  readonly agentId?: string;
  readonly agentDescription?: string;
  readonly denial: Denial;
  /** The run has ended: an answer cannot repeat the call. */
  readonly isAfterRun?: boolean;
  readonly draft: Draft;
  readonly now: () => number;
  /** Called once. */
  readonly done: (answer: PermissionAnswer) => void;
}

/** Asks whether what the sandbox refused may happen. "No" is chosen at the start. */
export function permissionDialog(
  { toolName, agentId, agentDescription = "", denial, isAfterRun = false, draft, now, done }: PermissionQuestion,
): Dialog {
  const whose = agentId === undefined ? "" : ` of sub-agent ${cleanLine(`${agentId} (${agentDescription})`)}`;
  const [what, grant] = [deniedThing(denial), cleanLine(denial.grant)];
  return answersDialog({
    head({ width, theme }, isLow) {
      const { allows } = describeDenial(denial);
      const effect = isLow ? [`Yes: ${allows}`] : [
        isAfterRun ? `From now on, a yes lets tools ${allows}` : `A yes runs the call again and lets it ${allows}`,
        `The smallest grant that lets it pass: ${grantOption(denial.kind, grant)}`,
      ];
      return [
        ...wrap(
          theme.warn(
            `▣ ${isAfterRun ? "Denied during the run:" : "The sandbox refused"} ${
              cleanLine(toolName)
            }${whose}: ${what}`,
          ),
          width,
        ),
        ...effect.flatMap((line) => wrap(theme.dim(line), width)),
      ];
    },
    answers: isAfterRun ? AFTER_RUN_ANSWERS : PERMISSION_ANSWERS,
    hint: (key) => `${key} shows the whole call`,
    draft,
    now,
    done,
  });
}
