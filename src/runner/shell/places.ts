import { basename, dirname, join } from "@std/path";
import { covers, type Policy } from "../../core/policy.ts";
import type { Access } from "../files/denial.ts";
import { type Place, placeOf } from "../files/place.ts";
import { fileScope } from "../files/scope.ts";

/** Where the in-process shell's paths lead; each throws a denial for what the policy does not allow. */
export interface ShellPlaces {
  /** With all links followed. */
  target(access: Access, path: string): Place;
  /** The name itself: links above it are followed, it is not. */
  name(access: Access, path: string): string;
  /** A name that goes away or moves, together with whatever is in it. */
  tree(path: string): string;
}

/** The places of a policy. */
export function shellPlaces(policy: Policy): ShellPlaces {
  const scope = fileScope(policy);
  const name = (access: Access, path: string): string => {
    scope.check(access, path);
    const parent = dirname(path);
    // Nothing of a folder out of scope can be seen, not even where it leads; what lies in it is a scope's own entry, and
    // those are real.
    const real = covers(policy.read, parent) ? join(placeOf(parent).real, basename(path)) : path;
    scope.check(access, path, real);
    return real;
  };
  return {
    name,
    target(access, path) {
      scope.check(access, path);
      const place = placeOf(path);
      scope.check(access, path, place.real);
      return place;
    },
    tree(path) {
      const real = name("write", path);
      scope.checkTree(path, real);
      return real;
    },
  };
}
