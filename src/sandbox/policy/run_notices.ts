import { basename } from "@std/path";
import { hasRealShell, type Policy } from "../../core/policy.ts";

/** Programs that start whatever they are told to. */
const INTERPRETERS = new RegExp(
  "^(?:(?:ba|da|a|k|z|c|tc|fi)?sh|busybox|env|xargs|find|parallel|make|nice|nohup|setsid|time|timeout|sudo|su|ssh|vim?|awk|gawk|" +
    "git|node|deno|bun|npm|npx|pnpm|yarn|(?:python|perl|ruby|php|lua)[\\d.]*|uv|uvx|pip\\d*|cargo|go|java|gdb|docker)$",
);

/**
 * What the run scope means that its words do not say (R468): a listed interpreter starts others, so that from there on the
 * sandbox alone decides what is touched; where there is none, nothing does.
 */
export function runNotices(policy: Policy): string[] {
  const { all, list } = policy.run;
  if (all && !hasRealShell(policy)) {
    return ["No program is started at the sandbox level permissions: bash interprets scripts itself."];
  }
  if (all && policy.sandbox === "off") {
    return ["A real shell without a sandbox voids the read and write scope: commands may touch whatever you may."];
  }
  const interpreters = all ? [] : list.filter((name) => INTERPRETERS.test(basename(name)));
  if (interpreters.length === 0) return [];
  return [`${interpreters.join(", ")} can start other programs: the list does not bound those, only the sandbox does.`];
}
