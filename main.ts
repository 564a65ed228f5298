import { startConfined } from "./src/boot/confined.ts";

// The first word decides which of the program's processes this is.
async function start(): Promise<void> {
  if (await startConfined(Deno.args)) return;
  if (Deno.args[0] === "--internal-sdk") {
    const { serveSdk } = await import("./src/cli/sdk/serve.ts");
    const { holdsPack } = await import("./src/cli/main.ts");
    (await import("./src/config/host_environment.ts")).takeProxyExceptions();
    Deno.exit(await serveSdk(await holdsPack()));
  }
  const { main } = await import("./src/cli/main.ts");
  await main(Deno.args);
}

// Not awaited at the top level: in the binary this module is a function (src/boot/modules.ts). What it throws ends the process all the same.
start();
