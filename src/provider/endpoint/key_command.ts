import { UserError } from "../../core/error.ts";
import { attempt } from "../../core/support/attempt.ts";
import { unlessAborted } from "../../core/support/sleep.ts";
import { shownCommand } from "./shown_command.ts";

/** How long a command may take, milliseconds: some ask a person to unlock something. */
const LIMIT_MS = 60_000;

/** No key is longer. */
const MAX_BYTES = 64 * 1024;

/**
 * What the user's command prints, without blanks around it. The command runs as the user, with the user's environment and
 * with no input; what it says is in no message, for it may say its key in any way.
 *
 * `path`: the PATH in which the program, and what it starts by name, is looked for; that of this process if absent.
 *
 * Rejects with UserError where it cannot run, fails, takes too long or prints no key; with the signal's reason after an abort.
 */
export async function printedKey(
  command: readonly string[],
  signal: AbortSignal | undefined,
  limitMs = LIMIT_MS,
  path?: string,
): Promise<string> {
  const [program = "", ...args] = command;
  const failed = (why: string, cause?: unknown): UserError =>
    new UserError({
      what: `The command for the API key failed: ${shownCommand(command)}`,
      why,
      fix:
        "Run it in a terminal: it must print the key and nothing else. It is the setting providers.NAME.apiKeyCommand",
    }, cause === undefined ? {} : { cause });
  signal?.throwIfAborted();
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args,
      ...(path === undefined ? {} : { env: { PATH: path } }),
      stdin: "null",
      stdout: "piped",
      stderr: "null",
      detached: true,
    }).spawn();
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound
      ? "there is no such program"
      : error instanceof Deno.errors.NotCapable
      ? "this process may start no programs"
      : "it cannot be started";
    throw failed(why, error);
  }
  const end = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);
  const stop = (): void => endGroup(child.pid);
  end.addEventListener("abort", stop, { once: true });
  try {
    const [status, bytes] = await unlessAborted(Promise.all([child.status, printed(child)]), end);
    // Nothing of it may go on in the background once the key is there.
    stop();
    if (bytes === undefined) throw failed("it printed more than a key");
    if (!status.success) {
      throw failed(status.signal ? `it was ended by ${status.signal}` : `it ended with ${status.code}`);
    }
    const key = new TextDecoder().decode(bytes).trim();
    if (key === "") throw failed("it printed nothing");
    // Anything else would be no value of a header.
    if (!/^[\x21-\x7e]+$/.test(key)) throw failed("it printed more than one word, or characters that no key has");
    return key;
  } catch (error) {
    stop();
    signal?.throwIfAborted();
    if (end.aborted) throw failed(`it took longer than ${Math.round(limitMs / 1000)} seconds`);
    throw error;
  } finally {
    end.removeEventListener("abort", stop);
  }
}

/** The command is the first of a process group of its own, which Windows has not; what it started ends with it. */
function endGroup(pid: number): void {
  // Where this fails all of it has ended.
  attempt(() => Deno.kill(Deno.build.os === "windows" ? pid : -pid, "SIGKILL"));
}

/** Nothing where it is too much. */
async function printed(child: Deno.ChildProcess): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(MAX_BYTES);
  let length = 0;
  for await (const chunk of child.stdout) {
    if (length + chunk.length > MAX_BYTES) return undefined;
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes.subarray(0, length);
}
