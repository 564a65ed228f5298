import type { Budget, ContextFile, Profile, PromptInputs, Rendered, StableInputs } from "../../core/prompt.ts";

interface SectionHead {
  /** Lower-case words joined by underscores; unique. */
  readonly id: string;
  /** Rendered as a `##` heading; sections of the default base have none. */
  readonly title?: string;
  readonly profiles: readonly Profile[];
  /** `total`: the compiler cuts the text there. Sections made from files divide their own budgets among them. */
  readonly budget?: Budget;
}

/**
 * A section that keeps its bytes over a session.
 *
 * `render` is a property and not a method, so that a function which wants more than `StableInputs` (the clock, the
 * round) is a type error here.
 */
export interface StableSection extends SectionHead {
  readonly stability: "stable";
  readonly render: (inputs: StableInputs) => Rendered | undefined;
  /** The files it is made from; a profile that leaves the section out reports them as filtered. */
  readonly files?: (inputs: StableInputs) => readonly ContextFile[];
}

/** A section that may differ from request to request. */
export interface DynamicSection extends SectionHead {
  readonly stability: "dynamic";
  /** Made from what happened in this very round: it follows a prompt that somebody else wrote, too (R57). */
  readonly isOfRound?: true;
  readonly render: (inputs: PromptInputs) => Rendered | undefined;
}

/** One part of the system prompt; `render` neither throws nor looks at anything but its inputs. */
export type Section = StableSection | DynamicSection;
