/** Whether everything is tried that can be, and not a part of it each time: `deno task nightly`. */
export const IS_NIGHTLY = Deno.env.has("SANDPIPER_ROUNDS");

/** How often a race or a random choice is tried: so often, and `SANDPIPER_ROUNDS` times as often where that is set. */
export function rounds(count: number): number {
  return count * Number(Deno.env.get("SANDPIPER_ROUNDS") ?? "1");
}
