// The first word decides which of the program's processes this is. The confined ones must not load anything of the
// others, so everything is imported where it is needed.
async function start(entry: string | undefined): Promise<void> {
  if (entry === "--internal-exec" && Deno.build.os !== "linux") {
    const { execInSeatbelt } = await import("./src/sandbox/confine/seatbelt_exec.ts");
    await execInSeatbelt();
  } else if (entry === "--internal-runner") {
    const { runRunner } = await import("./src/runner/process.ts");
    await runRunner();
  } else if (entry === "--internal-bridge") {
    const { runBridge } = await import("./src/sandbox/proxy/bridge.ts");
    await runBridge(Deno.args.slice(1));
  } else if (entry === "--internal-sdk") {
    const { serveSdk } = await import("./src/cli/sdk/serve.ts");
    Deno.exit(await serveSdk());
  } else {
    const { main } = await import("./src/cli/main.ts");
    await main(Deno.args);
  }
}

// Not awaited at the top level: in the binary this module is a function (src/boot/modules.ts). What it throws ends the process all the same.
start(Deno.args[0]);
