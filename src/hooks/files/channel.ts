// The worker's side of the file functions of an extension: a request goes to the host, which opens the file. The worker itself
// has no permission for any file.
import type { FileReply } from "./host.ts";

/** Most requests that are under way; the others wait for their turn. */
const MAX_OPEN = 64;

/** The parts of a request as they are sent: `call`, paths, options; bytes as base64. */
export type FileQuestion = Readonly<Record<string, unknown>>;

/** Sends requests to the host. */
export interface FileChannel {
  /** Rejects with an error of `Deno.errors`. */
  ask(question: FileQuestion): Promise<FileValue>;
  /** The same, while this thread waits. */
  askNow(question: FileQuestion): FileValue;
}

/** What the host answers. */
export type FileValue = Exclude<FileReply, { readonly error: unknown }>;

/** Sends text to the host. */
export interface FileLink {
  /** The reply arrives later. */
  readonly send: (body: string) => Promise<unknown>;
  /** This thread waits for the reply. */
  readonly sendNow: (body: string) => unknown;
}

/** A channel over a link; without one every request is rejected, because the extension was granted no file. */
export function fileChannel(link: FileLink | undefined): FileChannel {
  const waiting: (() => void)[] = [];
  let open = 0;
  const send = async (body: string): Promise<unknown> => {
    if (!link) throw notGranted();
    if (open >= MAX_OPEN) await new Promise<void>((resolve) => waiting.push(resolve));
    open++;
    try {
      return await link.send(body);
    } finally {
      open--;
      waiting.shift()?.();
    }
  };
  return {
    ask: async (question) => valueOf(await send(JSON.stringify(question))),
    askNow: (question) => {
      if (!link) throw notGranted();
      return valueOf(link.sendNow(JSON.stringify(question)));
    },
  };
}

function notGranted(): Error {
  return new Deno.errors.NotCapable(
    "this extension has no permission for files. It asks for it with permissions = { read: [PATH], write: [PATH] }, and the user grants it",
  );
}

const CLASSES: Readonly<Record<string, new (message: string) => Error>> = { ...Deno.errors, TypeError, RangeError };

function valueOf(answer: unknown): FileValue {
  const reply = answer as FileReply; // The host sends nothing else.
  if (!("error" in reply)) return reply;
  const { name, code, message } = reply.error;
  const error = new (Object.hasOwn(CLASSES, name) ? CLASSES[name] ?? Error : Error)(message);
  throw Object.assign(error, code === undefined ? {} : { code });
}
