import { assertEquals } from "@std/assert";
import { listenToSignals } from "../../../src/core/support/signals.ts";

Deno.test("listenToSignals() hears on Windows what a console sends, and elsewhere all that is asked for", () => {
  const ofWindows = ["SIGINT", "SIGBREAK", "SIGHUP"];
  const heardOn = (os: typeof Deno.build.os): readonly string[] => {
    const heard = new Set<string>();
    const listening = {
      addSignalListener(name: Deno.Signal) {
        // As Deno does it: a signal that the system has not is an error.
        if (os === "windows" && !ofWindows.includes(name)) throw new TypeError(name);
        heard.add(name);
      },
      removeSignalListener: (name: Deno.Signal) => void heard.delete(name),
    };
    const names = ["SIGINT", "SIGTERM", "SIGHUP", "SIGCONT", "SIGWINCH"] as const;
    const stop = listenToSignals(names.map((name) => [name, () => {}] as const), os, listening);
    const found = [...heard];
    stop();
    assertEquals(heard.size, 0);
    return found;
  };
  assertEquals(heardOn("windows"), ["SIGINT", "SIGHUP"]);
  assertEquals(heardOn("linux"), ["SIGINT", "SIGTERM", "SIGHUP", "SIGCONT", "SIGWINCH"]);
});
