import type {
  Budget,
  ContextFile,
  Profile,
  PromptInputs,
  PromptSource,
  Rendered,
  StableInputs,
} from "../../core/prompt.ts";
import { countCharacters } from "../../core/support/text.ts";
import { clean } from "./clean.ts";

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

/**
 * Whether a SYSTEM.md owns the base: then none of the sections of the default base renders, nor the safety lines (R8).
 *
 * An empty file does not count, so that the model is never left without an identity; nor does it in profile `none`, which
 * reads no file (R42).
 */
export function isOverridden(inputs: StableInputs): boolean {
  const file = inputs.systemOverride;
  return inputs.profile !== "none" && file?.status === "loaded" && clean(file.text ?? "") !== "";
}

/** A section made from one text, all of which is kept. */
export function whole(kind: PromptSource["kind"], ref: string, text: string): Rendered {
  const chars = countCharacters(text);
  return { text, sources: [{ kind, ref, status: "loaded", chars, kept: chars }] };
}

/** A section made from the program's own words alone. */
export function builtin(ref: string, text: string): Rendered {
  return whole("builtin", ref, text);
}

/** A section that is a list of the program's own sentences. */
export function bullets(ref: string, lines: readonly string[]): Rendered {
  return builtin(ref, lines.map((line) => `- ${line}`).join("\n"));
}

/** Whether a tool of that name is active. */
export function hasTool(inputs: { readonly tools: readonly { readonly name: string }[] }, name: string): boolean {
  return inputs.tools.some((tool) => tool.name === name);
}
