import { describeDenial, grantOption } from "../../core/grant_option.ts";
import type { PermissionAnswer } from "../../core/event.ts";
import type { GrantAnswer } from "../../core/hook.ts";
import { cleanLine } from "../screen/foreign.ts";
import { grantLines } from "../transcript/grant_lines.ts";
import type { PlanChoice, Question } from "../transcript/questions.ts";

const ANSWERS = new Map<string, PermissionAnswer>([
  ["n", "no"],
  ["no", "no"],
  ["o", "once"],
  ["s", "session"],
  ["p", "project"],
]);

const AFTER_RUN_ANSWERS = new Map([...ANSWERS].filter(([, answer]) => answer !== "once"));

const GRANTS = new Map<string, GrantAnswer>([
  ["n", "no"],
  ["no", "no"],
  ["o", "once"],
  ["s", "session"],
  ["a", "always"],
]);

const PLANS = new Map<string, PlanChoice>([["n", "no"], ["no", "no"], ["a", "accept"], ["x", "off"]]);

const CONFIRMS = new Map([["n", false], ["no", false], ["y", true], ["yes", true]]);

/** Handles the next line. Returns true if the line is not an answer, but a message or a command to handle as usual. */
export type TakeLine = (line: string) => boolean | void;

/**
 * Asks in lines: prints the question and takes the next line as the answer. Where the answers are letters, a line that
 * is none of them is asked for once more, and the second one counts as no. After a run no call waits for the answer: any
 * other line declines, and is not lost.
 */
export function plainQuestion(
  question: Question,
  print: (text: string) => void,
  ask: (take: TakeLine) => void,
): void {
  function choose<T>(answers: ReadonlyMap<string, T>, none: T, words: string, done: (answer: T) => void): void {
    const take = (isLast: boolean) => (line: string): void => {
      const answer = answers.get(line.trim().toLowerCase());
      if (answer !== undefined) return done(answer);
      const given = line.trim() === "" ? "An empty line" : JSON.stringify(cleanLine(line.trim()));
      print(`${given} is none of the answers${isLast ? ": taken as no." : `. Once more: ${words}`}`);
      if (isLast) done(none);
      else ask(take(true));
    };
    ask(take(false));
  }
  switch (question.kind) {
    case "permission": {
      const { toolName, agentId, agentDescription = "", denial: { kind, target, grant } } = question.request;
      const whose = agentId === undefined ? "" : ` of sub-agent ${cleanLine(`${agentId} (${agentDescription})`)}`;
      const option = grantOption(kind, cleanLine(grant));
      const { isAfterRun = false } = question;
      const what = isAfterRun ? "denied during the run:" : "the sandbox refused";
      print(`question: ${what} ${cleanLine(toolName)}${whose}: ${kind} ${cleanLine(target)}`);
      const words = isAfterRun
        ? "s for this session, p for this project, n no; any other line is your next message, and means no"
        : "n no, o once (this call), s for this session, p for this project";
      const { allows } = describeDenial(question.request.denial);
      print(
        isAfterRun ? `From now on, a yes lets tools ${allows}.` : `A yes runs the call again and lets it ${allows}.`,
      );
      print(`The smallest grant is ${option}. Allow it? ${words}`);
      if (!isAfterRun) return choose(ANSWERS, "no", words, question.done);
      return ask((line) => {
        const answer = AFTER_RUN_ANSWERS.get(line.trim().toLowerCase());
        const isMessage = answer === undefined && line.trim().length > 1;
        if (answer === undefined && !isMessage) print("This is none of the answers: taken as no.");
        question.done(answer ?? "no");
        return isMessage;
      });
    }
    case "grant": {
      const { name, path } = question.request;
      print(`question: extension ${cleanLine(name)} (${cleanLine(path)}) asks to`);
      for (const line of grantLines(question.request)) print(`  ${line}`);
      const words = "n no, o until it is loaded again, s for this session, a always, until one of its files changes";
      print(`Allow it? ${words}`);
      return choose(GRANTS, "no", words, question.done);
    }
    case "plan": {
      const words = "n not now; a accept and carry it out; x leave planning";
      print(`question: accept the plan? Nothing was written for it so far. ${words}`);
      return choose(PLANS, "no", words, question.done);
    }
    case "select":
      print(
        [`question: ${cleanLine(question.title)}`, ...question.options.map((one, at) => `${at + 1}  ${cleanLine(one)}`)]
          .join("\n"),
      );
      return ask((line) => question.done(question.options[Number(line.trim()) - 1]));
    case "confirm":
      print(`question: ${cleanLine(question.title)}: ${cleanLine(question.message)} (y or n)`);
      return choose(CONFIRMS, false, "y or n", question.done);
    case "input":
      print(`question: ${cleanLine(question.title)} ${cleanLine(question.placeholder)}`);
      return ask((line) => question.done(line));
  }
}
