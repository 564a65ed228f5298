// The system prompt stands before the conversation, so a prompt that says something for one round (what failed, go on,
// answer now) would make the server read all of the conversation anew, and once more in the next round without it. What a
// round adds goes behind the conversation instead, where nothing follows it.
import type { SystemPrompt } from "../../core/provider.ts";

/** A prompt whose bytes hold, and what this round adds to it; empty where it adds nothing. */
export interface RoundPrompt {
  readonly system: SystemPrompt;
  readonly added: string;
}

/** Tells what a round adds to the prompts of a session. What is there twice running belongs to the prompt from then on. */
export function createRoundPrompt(): (system: SystemPrompt) => RoundPrompt {
  let usual: SystemPrompt | undefined;
  let last: string | undefined;
  return (system) => {
    const { stable, dynamic } = system;
    const isAgain = dynamic === last;
    last = dynamic;
    const added = usual?.stable === stable && !isAgain ? addedText(usual.dynamic, dynamic) : undefined;
    if (usual === undefined || added === undefined) usual = system;
    return { system: usual, added: added ?? "" };
  };
}

/** The paragraphs that stand in a text and not in the one before; undefined where anything else is different. */
function addedText(before: string, after: string): string | undefined {
  const [old, paragraphs] = [before, after].map((text) => text === "" ? [] : text.split("\n\n"));
  if (!old || !paragraphs || paragraphs.length < old.length) return undefined;
  let start = 0;
  while (start < old.length && old[start] === paragraphs[start]) start++;
  const end = paragraphs.length - (old.length - start);
  const isSame = old.slice(start).every((paragraph, index) => paragraph === paragraphs[end + index]);
  return isSame ? paragraphs.slice(start, end).join("\n\n") : undefined;
}
