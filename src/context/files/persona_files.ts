import type { Diagnostic, Persona } from "../../core/prompt.ts";
import { type BootstrapPlaces, type BootstrapRule, findBootstrapFile } from "./bootstrap_file.ts";
import { splitFrontMatter } from "./front_matter.ts";

/** Where persona files are looked for, and how they will be used. */
export interface PersonaOptions extends BootstrapPlaces {
  /** In place of the identity a workspace's own files need trust, as its SYSTEM.md does. */
  readonly mode: Persona["mode"];
  readonly defaults?: boolean | undefined;
  readonly withSystem?: boolean | undefined;
  /** False: nothing is looked for. */
  readonly enabled: boolean;
}

/** What the compiler gets, and what it cannot see there. */
export interface GatheredPersona {
  readonly persona?: Persona;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * SOUL.md, IDENTITY.md and USER.md, each the first of its name, in this order (R361, R375); no other file of these
 * folders (R368). Drafts and empty files are passed by (R373, R379). Never throws.
 */
export function gatherPersona(options: PersonaOptions): GatheredPersona {
  const { mode, defaults, withSystem, enabled } = options;
  if (!enabled) return { diagnostics: [] };
  const find = (name: string) => findBootstrapFile(name, options, ruleFor(name, mode));
  const soul = find("SOUL.md");
  const identity = find("IDENTITY.md");
  const user = find("USER.md");
  return {
    persona: {
      mode,
      soul: soul.file,
      identity: identity.file,
      user: user.file,
      ...(defaults ? { defaults } : {}),
      ...(withSystem ? { withSystem } : {}),
    },
    diagnostics: [...soul.diagnostics, ...identity.diagnostics, ...user.diagnostics],
  };
}

function ruleFor(name: string, mode: Persona["mode"]): BootstrapRule {
  return {
    rootNeedsTrust: mode === "replace" && name !== "USER.md",
    take: (text) => {
      const { body, isDraft } = splitFrontMatter(text);
      if (isDraft) return { passed: `${name} is a draft. Remove "status: draft" from its first lines to use it` };
      if (body.trim() === "") return { passed: `${name} holds no text. Write some, or remove the file` };
      return { text: body };
    },
  };
}
