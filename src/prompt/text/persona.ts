import type { Diagnostic, PromptSource, StableInputs } from "../../core/prompt.ts";
import { onceFor } from "../../core/support/once.ts";
import { bracketed, keepFiles, type KeptFile } from "./files.ts";
import { isOverridden } from "./section.ts";
import { CONTEXT_CUT } from "./text.ts";

/** The persona files in the order in which budgets are spent (R361). */
const PERSONA_PARTS = [
  { part: "soul", name: "SOUL.md", section: "soul_core" },
  { part: "identity", name: "IDENTITY.md", section: "identity_core" },
  { part: "user", name: "USER.md", section: "user_persona" },
] as const;

export type PersonaPart = typeof PERSONA_PARTS[number]["part"];

/** One persona file under the budget that all three share. */
export interface KeptPersonaFile {
  readonly name: string;
  readonly kept?: KeptFile;
  readonly sources: readonly PromptSource[];
  readonly diagnostics: readonly Diagnostic[];
}

const PER_FILE = 20_000;
const TOTAL = 150_000;

/** What of the persona files goes into the prompt (R369–R372); remembered, because several sections ask. */
export const keepPersona = onceFor((inputs: StableInputs): ReadonlyMap<PersonaPart, KeptPersonaFile> => {
  const { perSource = PER_FILE, total = TOTAL } = inputs.budgets?.persona ?? {};
  const parts = new Map<PersonaPart, KeptPersonaFile>();
  let left = total;
  for (const { part, name, section } of PERSONA_PARTS) {
    const file = inputs.persona?.[part];
    const { kept, sources, diagnostics } = keepFiles(section, file ? [file] : [], { perSource, total: left });
    left -= sources[0]?.kept ?? 0;
    parts.set(part, { name, sources, diagnostics, ...(kept[0] ? { kept: kept[0] } : {}) });
  }
  return parts;
});

/**
 * How the persona files are used (K11): not at all, as sections, or in place of the built-in identity.
 *
 * A SYSTEM.md owns the identity; beside it they are sections, and only when that is configured (R382). A replacement
 * without a file to replace by is none (R377).
 */
export function personaUse(inputs: StableInputs): "off" | "sections" | "replace" {
  const { persona } = inputs;
  if (!persona || inputs.profile === "none") return "off";
  if (isOverridden(inputs)) return persona.withSystem ? "sections" : "off";
  if (persona.mode === "sections") return "sections";
  const parts = keepPersona(inputs);
  return parts.get("soul")?.kept || parts.get("identity")?.kept ? "replace" : "off";
}

/** Whether there is any persona file to speak of, or the built-in texts are asked for. */
export function hasPersona(inputs: StableInputs): boolean {
  return inputs.persona?.defaults === true || [...keepPersona(inputs).values()].some((file) => file.kept);
}

/** A persona file as it stands in the prompt. */
export function personaText({ name, kept }: KeptPersonaFile): string {
  return kept ? bracketed(name, kept.isCut ? `${kept.text}\n\n${CONTEXT_CUT}` : kept.text) : "";
}

/** Tells that a SYSTEM.md keeps loaded persona files out. */
export function leftOutBySystem(inputs: StableInputs, part: PersonaPart, section: string): readonly Diagnostic[] {
  const file = inputs.persona?.[part];
  if (file?.status !== "loaded" || !isOverridden(inputs)) return [];
  const message = 'The file is left out because a SYSTEM.md owns the identity. Set persona to {"withSystem": true} ' +
    "to send both";
  return [{ code: "section_omitted", message, file: file.path, section }];
}
