import { answersDialog, type Draft } from "./answers_dialog.ts";
import type { Dialog } from "./dialog.ts";
import { cleanText } from "./foreign.ts";
import { grantDialog } from "./grant_dialog.ts";
import { lineDialog } from "./line_dialog.ts";
import { permissionDialog } from "./permission_dialog.ts";
import { picker } from "./picker.ts";
import { wrap } from "./wrap.ts";
import type { Question } from "./questions.ts";

/** The dialog for a question; what is typed and is no answer goes into the draft. */
export function questionForm(question: Question, draft: Draft, now: () => number): Dialog {
  switch (question.kind) {
    case "permission":
      return permissionDialog({ ...question.request, draft, now, done: question.done });
    case "grant":
      return grantDialog(question.request, draft, now, question.done);
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
