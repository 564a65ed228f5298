import type { EndpointKey } from "./endpoint.ts";
import { shownCommand } from "./shown_command.ts";

/** What is sent in place of a key where there is none: some servers want to see one, whatever it is. */
const KEYLESS = "none";

/** No key: the server is asked as if it wanted none. `variable`: where one would have been looked for. */
export function noKey(variable: string | undefined): EndpointKey {
  return {
    current: () => Promise.resolve(KEYLESS),
    renew: () => Promise.resolve(undefined),
    secrets: [],
    isKeyless: true,
    ...(variable === undefined ? {} : { origin: variable }),
  };
}

/** A key that was found in a variable and stays the same. */
export function fixedKey(value: string, variable: string): EndpointKey {
  return {
    current: () => Promise.resolve(value),
    renew: () => Promise.resolve(undefined),
    secrets: [value],
    isKeyless: false,
    origin: variable,
  };
}

/**
 * The key that a command prints. It runs when a key is first needed, and again when that one was refused; requests that are
 * made at the same time share a run. What it printed is kept in memory alone.
 *
 * @param path Gives the PATH in which the program, and what it starts by name, is looked for; that of this process if absent.
 */
export function commandKey(command: readonly string[], path?: () => Promise<string>): EndpointKey {
  const secrets: string[] = [];
  let running: Promise<string> | undefined;
  const run = (signal: AbortSignal | undefined): Promise<string> => {
    const begun = (async () => {
      const { printedKey } = await import("./key_command.ts");
      const key = await printedKey(command, signal, undefined, await path?.());
      if (!secrets.includes(key)) secrets.push(key);
      return key;
    })();
    running = begun;
    // Not kept: the next request may have more luck.
    begun.catch(() => running === begun && (running = undefined));
    return begun;
  };
  return {
    current: (signal) => running ?? run(signal),
    async renew(refused, signal) {
      const before = running;
      const now = await before?.catch(() => undefined);
      if (now !== undefined && now !== refused) return now;
      // Another request may have begun to ask in the meantime.
      const key = await (running !== undefined && running !== before ? running : run(signal));
      return key === refused ? undefined : key;
    },
    secrets,
    isKeyless: false,
    origin: `the command ${shownCommand(command)}`,
  };
}
