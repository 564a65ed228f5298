import type { PromptBlock, PromptChannel } from "../core/prompt.ts";

/** What an augment may look at. */
export interface ChannelFacts {
  /** Who reads along: one person, or several. */
  readonly audience: "direct" | "group";
}

/** What a runtime adds to the prompts of its channel; a host brings its own (R407, R410). */
export interface PromptAugment {
  /** Its name, for example `chat`. */
  readonly channel: string;
  /** Pure: called once for each base build. */
  readonly blocks: (facts: ChannelFacts) => readonly PromptBlock[];
}

/** What a program that embeds the engine adds to the system prompt; each goes into a section of its own. */
export interface PromptAdditions {
  /** Sentences that join the prompt as a list (R53); profiles `full` and `minimal`. */
  readonly rules?: readonly string[];
  /** Titled texts in their order (R52); profile `full`. */
  readonly blocks?: readonly PromptBlock[];
  /** Text at the end of the dynamic half, which costs a provider's cache nothing when it differs (R48); profile `full`. */
  readonly dynamicContext?: string;
  /** Channels of the program's own; one with the name of a built-in channel stands in its place (R407). */
  readonly augments?: readonly PromptAugment[];
  /** The channel in use: `rpc` when left out. Throws UserError for one that nothing describes. */
  readonly channel?: string;
  /** Who reads along in that channel: `direct`, one person, when left out (R410). */
  readonly audience?: ChannelFacts["audience"];
}

const ALONE = "Nobody can answer: do not ask, but choose and say what you assumed.";
const LAST_ONLY = "Only your last message is seen.";

/** The channels of the program itself: each says whether anybody can answer (R409). */
export const LOCAL_AUGMENTS: readonly PromptAugment[] = [
  local(
    "interactive",
    "A person reads along at a terminal and can answer. Ask when a decision is theirs; otherwise go ahead.",
  ),
  local("text", `${ALONE} ${LAST_ONLY}`),
  local(
    "stdin",
    `The request came through a pipe. ${ALONE} ${LAST_ONLY}`,
  ),
  local("json", `A program reads this run's events. ${ALONE}`),
  local(
    "rpc",
    "A program passes messages on. A question may stay unanswered: ask only when a decision is not yours, and say what " +
      "you would choose.",
  ),
];

/** What the augment of a channel adds: one channel's text and never another's (R408). Undefined for an unknown channel. */
export function channelOf(
  augments: readonly PromptAugment[],
  channel: string,
  facts: ChannelFacts = { audience: "direct" },
): PromptChannel | undefined {
  // The last one wins, so that a host can put its own in place of ours.
  const found = augments.findLast((augment) => augment.channel === channel);
  return found && { name: channel, blocks: found.blocks(facts) };
}

function local(channel: string, content: string): PromptAugment {
  return { channel, blocks: () => [{ title: "Interaction", content }] };
}
