/**
 * Becomes the confined process that the program's first argument names; false where it names none.
 *
 * Such a process must load nothing of the others, so everything is imported where it is needed.
 */
export async function startConfined([entry, ...words]: readonly string[]): Promise<boolean> {
  if (entry === "--internal-exec" && Deno.build.os !== "linux") {
    const { execInSeatbelt } = await import("../sandbox/confine/seatbelt_exec.ts");
    await execInSeatbelt();
  } else if (entry === "--internal-runner") {
    const { runRunner } = await import("../runner/process.ts");
    await runRunner();
  } else if (entry === "--internal-bridge") {
    const { runBridge } = await import("../sandbox/proxy/bridge.ts");
    await runBridge(words);
  } else return false;
  return true;
}
