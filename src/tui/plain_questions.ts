import type { PermissionAnswer } from "../core/event.ts";
import type { GrantAnswer } from "../core/hook.ts";
import { cleanLine } from "./foreign.ts";
import { grantLines } from "./grant_lines.ts";
import type { Question } from "./questions.ts";

const ANSWERS: Readonly<Record<string, PermissionAnswer>> = { o: "once", s: "session", p: "project", n: "no" };

const GRANTS: Readonly<Record<string, GrantAnswer>> = { o: "once", s: "session", a: "always", n: "no" };

/** Asks in lines: prints the question and takes the next line as the answer. Whatever is no answer counts as no. */
export function plainQuestion(
  question: Question,
  print: (text: string) => void,
  ask: (take: (line: string) => void) => void,
): void {
  switch (question.kind) {
    case "permission": {
      const { toolName, denial: { kind, target, grant } } = question.request;
      const option = grant === "*" ? `--allow-${kind}` : `--allow-${kind}=${cleanLine(grant)}`;
      print(`question: the sandbox refused ${cleanLine(toolName)}: ${kind} ${cleanLine(target)}`);
      print(`The smallest grant is ${option}. Allow it? n no, o once, s for this session, p for this project`);
      return ask((line) => question.done(ANSWERS[line.trim().toLowerCase()] ?? "no"));
    }
    case "grant": {
      const { name, path } = question.request;
      print(`question: extension ${cleanLine(name)} (${cleanLine(path)}) asks to`);
      for (const line of grantLines(question.request)) print(`  ${line}`);
      print("Allow it? n no, o until it is loaded again, s for this session, a always, until one of its files changes");
      return ask((line) => question.done(GRANTS[line.trim().toLowerCase()] ?? "no"));
    }
    case "select":
      print(
        [`question: ${cleanLine(question.title)}`, ...question.options.map((one, at) => `${at + 1}  ${cleanLine(one)}`)]
          .join("\n"),
      );
      return ask((line) => question.done(question.options[Number(line.trim()) - 1]));
    case "confirm":
      print(`question: ${cleanLine(question.title)}: ${cleanLine(question.message)} (y or n)`);
      return ask((line) => question.done(/^y(?:es)?$/i.test(line.trim())));
    case "input":
      print(`question: ${cleanLine(question.title)} ${cleanLine(question.placeholder)}`);
      return ask((line) => question.done(line));
  }
}
