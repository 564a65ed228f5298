import * as z from "zod/mini";
import type { Engine, EngineState } from "../../core/engine.ts";
import type { PermissionAnswer } from "../../core/event.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import type { QuestionForm } from "./questions.ts";
import type { ImageContent } from "../../core/message.ts";
import { givenPicture, NO_PICTURE } from "../input/given_picture.ts";

/** A model that a client may choose. */
export interface ModelView {
  readonly id: string;
  readonly provider: string;
  /** As `set_model` takes it without a provider. */
  readonly name?: string;
  /** Tokens. */
  readonly contextWindow: number | null;
  readonly maxTokens: number | null;
}

/** A model with all that pi's clients read of it. */
export interface PiModel {
  readonly id: string;
  readonly provider: string;
  readonly name?: string;
  /** As pi calls the protocol, for example `openai-completions`. */
  readonly api: string;
  /** Empty if the model has no address, as a recording. */
  readonly baseUrl: string;
  readonly reasoning: boolean;
  readonly input: readonly ("text" | "image")[];
  /** USD per million tokens; 0 if it is not known. */
  readonly cost: { readonly [K in "input" | "output" | "cacheRead" | "cacheWrite"]: number };
  /** Tokens. */
  readonly contextWindow: number;
  readonly maxTokens: number;
}

/** The models of a session for a client. */
export interface RpcModels {
  /** Those that the settings have data of: `cycle_model` goes through them; the one at hand need not be there. */
  readonly own: readonly ModelView[];
  /** Those of all providers that can be asked; the server at hand is asked for its list. Never rejects. */
  readonly available: () => Promise<readonly ModelView[]>;
  /** The model at hand with what is known of it. */
  readonly full: (model: EngineState["model"]) => PiModel;
  /** What a choice takes a provider's model by; throws UserError for a provider that is not known. */
  readonly nameOf: (provider: string, id: string) => string;
}

/** What commands need besides their arguments. */
export interface RpcContext {
  readonly engine: Engine;
  readonly models: RpcModels;
  /** Opens files that a client names, under the policy of this moment. */
  readonly files: () => NamedFiles;
  /** Answers a permission_request; false when none of that id waits. */
  readonly answerPermission: (id: string, answer: PermissionAnswer) => boolean;
  /** Takes which questions the client answers. */
  readonly announce: (answers: QuestionForm) => void;
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
