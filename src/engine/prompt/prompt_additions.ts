import { UserError } from "../../core/error.ts";
import type { PromptInputs } from "../../core/prompt.ts";
import type { PromptBlock } from "../../core/prompt.ts";
import { type ChannelFacts, channelOf, LOCAL_AUGMENTS, type PromptAugment } from "../../prompt/augment.ts";

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

/** The additions as the compiler takes them, beside the texts of the channel in use. */
export function additionsOf(
  additions: PromptAdditions,
  local: string,
): Pick<PromptInputs, "rules" | "blocks" | "dynamicContext" | "channel"> {
  const { rules = [], blocks, dynamicContext, augments = [], channel, audience = "direct" } = additions;
  const known = [...LOCAL_AUGMENTS, ...augments];
  const inUse = channelOf(known, channel ?? local, { audience });
  if (channel !== undefined && !inUse) {
    throw new UserError({
      what: `There is no channel "${channel}"`,
      why: `they are ${[...new Set(known.map((augment) => augment.channel))].join(", ")}`,
      fix: "Name one of them, or describe the channel with an augment of its own",
    });
  }
  return {
    rules,
    ...(blocks ? { blocks } : {}),
    ...(dynamicContext === undefined ? {} : { dynamicContext }),
    ...(inUse ? { channel: inUse } : {}),
  };
}
