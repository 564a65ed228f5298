/** Whether something was packed into this program: all that a start without a pack knows of them. */
export async function holdsPack(): Promise<boolean> {
  if (!Deno.build.standalone) return false;
  const { holdsPack } = await import("../pack/carrier.ts");
  return holdsPack(Deno.execPath()) ?? (await import("../engine/resources/bundled.ts")).isOwnBuild();
}
