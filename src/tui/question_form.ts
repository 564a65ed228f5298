import type { Dialog } from "./dialog.ts";
import { grantDialog } from "./grant_dialog.ts";
import { lineDialog } from "./line_dialog.ts";
import { permissionDialog } from "./permission_dialog.ts";
import { picker } from "./picker.ts";
import type { Question } from "./questions.ts";

/** The dialog for a question. */
export function questionForm(question: Question, now: () => number): Dialog {
  switch (question.kind) {
    case "permission":
      return permissionDialog({ ...question.request, now, done: question.done });
    case "grant":
      return grantDialog(question.request, now, question.done);
    case "select": {
      const choices = question.options.map((option) => ({ label: option, value: option }));
      return picker({ title: question.title, choices, done: question.done });
    }
    case "confirm": {
      const choices = [{ label: "No", value: false }, { label: "Yes", value: true }];
      const title = [question.title, question.message].filter((part) => part !== "").join(": ");
      return picker({ title, choices, done: (answer) => question.done(answer ?? false) });
    }
    case "input":
      return lineDialog(question.title, question.placeholder, question.done);
  }
}
