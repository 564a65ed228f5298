import { withChannel } from "../launcher/frames.ts";
import { openChannel } from "./call_channel.ts";
import { watchDescriptor } from "./descriptor_watch.ts";
import { type CallListener, callListener, type UnansweredCall } from "./unanswered_call.ts";

/** The calls of one process tree that its filter leaves to this process. */
export interface AnsweredCalls {
  /** Calls `start`, which starts the process, while that can inherit the channel of its listener; once. */
  readonly lend: <T>(start: () => T) => T;
  /** The process's first frames, with the channel's number in that of the policy. */
  readonly frame: (frames: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
  /** The calls are being answered. Never resolves if the process ends before that. */
  readonly ready: Promise<void>;
  /** What waits and what comes fails from now on. Safe to call twice. */
  close(): void;
}

/** Answers the calls of the process that is started by `lend`, until it has ended or `close` is called. */
export function answerCalls(
  answererOf: (listener: CallListener) => (call: UnansweredCall) => Promise<void>,
): AnsweredCalls {
  const channel = openChannel();
  let isClosed = false;
  let stop = (): void => {};
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  channel.received.then((descriptor) => {
    if (descriptor === undefined) return;
    const listener = callListener(descriptor);
    if (isClosed) return listener.close();
    const answer = answererOf(listener);
    const unwatch = watchDescriptor(descriptor, async (event) => {
      if (event === "gone") return stop();
      const call = await listener.receive();
      if (call) void answer(call);
    });
    stop = () => {
      unwatch();
      listener.close();
    };
    isReady();
  });
  return {
    lend: channel.lend,
    frame: (frames) => withChannel(frames, channel.number),
    ready,
    close: () => {
      isClosed = true;
      channel.close();
      stop();
    },
  };
}
