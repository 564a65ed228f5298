import { isInside, type Policy, type Scope } from "../../core/policy.ts";

/**
 * The policy as a person takes it in at a glance, for example `▣ kernel · write: . · net: off`. `▢`: nothing confines;
 * `(weaker)`: this machine lacks something of the level.
 */
export function sandboxGlance(policy: Policy): string {
  const where = policy.copyOf === undefined ? "" : " · TRIAL";
  const sign = policy.sandbox === "off" ? "▢ NO SANDBOX" : `▣ ${policy.sandbox}${isWeaker(policy) ? " (weaker)" : ""}`;
  const [write, net] = [
    `write: ${places(policy.write, policy)}`,
    `net: ${policy.net.all ? "ALL" : listed(policy.net.list)}`,
  ];
  return [sign + where, write, net, ...programs(policy.run)].join(" · ");
}

/** Whether the level cannot do all that it does elsewhere. */
export function isWeaker({ weaknesses }: Policy): boolean {
  return weaknesses !== undefined && weaknesses.length > 0;
}

function places({ all, list }: Scope, { root, tmp, cache, home }: Policy): string {
  if (all) return "ALL";
  const shown = list.filter((path) => !isInside(path, tmp) && !isInside(path, cache)).map((path) => {
    if (path === root) return ".";
    if (isInside(path, root)) return path.slice(root.length + 1);
    return isInside(path, home) ? `~${path.slice(home.length)}` : path;
  });
  return listed(shown);
}

/** Said only where it is not everything: confined commands may run what the kernel lets them. */
function programs({ all, list }: Scope): readonly string[] {
  return all ? [] : [`run: ${listed(list.map((path) => path.slice(path.lastIndexOf("/") + 1)))}`];
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "off";
  return names.length <= 2 ? names.join(", ") : `${names[0]}, +${names.length - 1}`;
}
