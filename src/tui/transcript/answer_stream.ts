import { type AnswerPart, answerSplitter } from "../blocks/answer_parts.ts";
import { openPartBlock, partBlock, thinkingBlock } from "../blocks/answer.ts";
import type { Transcript } from "./transcript.ts";

/** One reply of the model while it arrives. */
export interface AnswerStream {
  readonly text: (delta: string) => void;
  readonly thought: (delta: string) => void;
  /** Nothing more comes. Gives whether there was any text. */
  readonly end: () => boolean;
}

/** A reply that has begun: its parts go into the transcript as they are finished. */
export function answerStream(transcript: Transcript): AnswerStream {
  const splitter = answerSplitter();
  let open = openPartBlock();
  let isAdded = false;
  let thinking: ReturnType<typeof thinkingBlock> | undefined;

  /** The first part that is finished is the one that was open. */
  const finish = (parts: readonly AnswerPart[]): void => {
    for (const part of parts) {
      if (isAdded) open.set(part, true);
      else transcript.add(partBlock(part));
      isAdded = false;
      open = openPartBlock();
    }
  };
  const show = (): void => {
    const part = splitter.open();
    if (part && !isAdded) {
      transcript.add(open);
      isAdded = true;
    }
    if (isAdded) open.set(part, false);
  };

  let hasText = false;
  return {
    text(delta) {
      thinking?.end();
      hasText ||= delta.trim() !== "";
      finish(splitter.push(delta));
      show();
    },
    thought(delta) {
      if (!thinking) transcript.add(thinking = thinkingBlock());
      thinking.push(delta);
    },
    end() {
      thinking?.end();
      finish(splitter.end());
      if (isAdded) open.set(undefined, true);
      return hasText;
    },
  };
}
