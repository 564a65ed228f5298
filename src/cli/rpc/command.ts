import * as z from "zod/mini";
import type { Engine } from "../../core/engine.ts";
import type { PermissionAnswer } from "../../core/event.ts";
import type { ImageContent } from "../../core/message.ts";
import { givenPicture, NO_PICTURE } from "../input/given_picture.ts";

/** A model that a client may choose. */
export interface ModelView {
  readonly id: string;
  readonly provider: string;
  /** Tokens. */
  readonly contextWindow: number;
  readonly maxTokens: number;
}

/** What commands need besides their arguments. */
export interface RpcContext {
  readonly engine: Engine;
  /** Models that `cycle_model` goes through and `get_available_models` lists; the one at hand need not be there. */
  readonly models: readonly ModelView[];
  /** Answers a permission_request; false when none of that id waits. */
  readonly answerPermission: (id: string, answer: PermissionAnswer) => boolean;
  /** Calls back once, right before the next event of a run goes out; the returned function takes that back. */
  readonly beforeRun: (callback: () => void) => () => void;
  /** Whether a failed request waits to be made again. */
  readonly isRetrying: () => boolean;
}

/** One command: what it takes, and what its response carries. */
export interface Command<A = unknown> {
  readonly args: z.ZodMiniType<A>;
  /** `reply` sends the response before the work is done; otherwise the result is the response's data. */
  readonly run: (args: A, context: RpcContext, reply: (data?: object) => void) => unknown;
}

/** A command whose arguments have the shape of a schema. */
export function command<A>(args: z.ZodMiniType<A>, run: Command<A>["run"]): Command {
  // The schema has been applied whenever `run` is called: src/cli/rpc/serve.ts is the only caller.
  return { args, run: (given, context, reply) => run(given as A, context, reply) };
}

/** A command without arguments; those of later versions are passed over. */
export function plain(run: (context: RpcContext) => unknown): Command {
  return command(z.object({}), (_args, context) => run(context));
}

const image = z.pipe(
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
  z.transform(({ data }, { issues }): ImageContent => {
    const picture = givenPicture(data);
    // Not the data itself, which would be said back.
    if (!picture) issues.push({ code: "custom", message: NO_PICTURE, input: "" });
    return picture ?? z.NEVER;
  }),
);

/** What a person says: text, and pictures in base64. */
export const said = { message: z.string(), images: z.optional(z.array(image)) };
