// How this machine comes to the namespaces of kernel+.
import { probeSandbox } from "../../src/sandbox/confine/probe.ts";

const probe = probeSandbox();
const hasLandlock = probe.landlockAbi >= 1;

/** Whether the launcher can make them. */
export const HAS_OWN = hasLandlock && "works" in probe.namespaces();

/** Whether bubblewrap can. */
export const HAS_BUBBLEWRAP = hasLandlock && "path" in probe.bwrap();

/** Whether the level kernel+ can be had. */
export const HAS_NAMESPACES = HAS_OWN || HAS_BUBBLEWRAP;

/** What a policy of kernel+ says here. */
export const HERE = HAS_OWN ? {} : { bubblewrap: true };
