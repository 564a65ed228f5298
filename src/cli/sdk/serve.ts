import type { PermissionAnswer } from "../../core/event.ts";
import type { GrantAnswer } from "../../core/hook.ts";
import type { HostUi } from "../../core/host_actions.ts";
import type { Provider, ProviderEvent } from "../../core/provider.ts";
import type { PromptAugment } from "../../prompt/augment.ts";
import type { PromptBuilder } from "../../prompt/prompt_builder.ts";
import { createMailbox } from "../../agent/mailbox.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { VERSION } from "../../core/version.ts";
import { watchSignals } from "../output/signals.ts";
import { standardError } from "../output/write_all.ts";
import { behindReason, type Outgoing, standardOutput } from "../rpc/outgoing.ts";
import { linesOf } from "../rpc/lines.ts";
import { openAgent } from "./agent.ts";
import type { Agent } from "./agent_api.ts";
import type { AgentOptions } from "./options.ts";
import { wireError, type WireQuestions, wireQuestions } from "./questions.ts";
import { type RemoteExtensions, remoteExtensions } from "./remote_extension.ts";
import { changesView, type ServedView, servedView } from "./served_view.ts";
import {
  type ClientLine,
  type OpenLine,
  type ProgramLine,
  SDK_PROTOCOL,
  WIRE_METHODS,
  type WireError,
} from "./wire.ts";

/**
 * Serves one agent to the program at the other end of standard input and output (`npm/sdk`). Returns the exit code: 0 at
 * the end of the input, which closes the agent; 1 when nobody reads the output any more, else that of the signal.
 */
export async function serveSdk(isPacked: boolean): Promise<number> {
  const watch = watchSignals();
  const output = standardOutput();
  const served = serveAgent(output, isPacked);
  try {
    for await (const line of linesOf(Deno.stdin.readable, { stop: AbortSignal.any([watch.signal, output.gone]) })) {
      if ("error" in line) served.fail({ message: line.error });
      else served.take(line.text);
    }
  } finally {
    output.stopLooking();
    await served.close();
    await output.end();
    watch.stop();
  }
  return watch.exitCode() ?? (output.gone.aborted ? 1 : 0);
}

interface Served {
  readonly take: (text: string) => void;
  readonly fail: (error: WireError) => void;
  readonly close: () => Promise<void>;
}

interface Open {
  readonly agent: Agent;
  readonly view: ServedView;
  /** Tells what changed of the view. */
  readonly look: (isWhole: boolean) => void;
}

function serveAgent(output: Outgoing, isPacked: boolean): Served {
  const send = (line: ProgramLine): void => output.send(line);
  // Lines of questions are made where they are asked; their shape is `ProgramLine`'s.
  const questions = wireQuestions((line) => output.send(line));
  let opening: Promise<Open | undefined> | undefined;
  let extensions: RemoteExtensions | undefined;
  const open = async (line: OpenLine): Promise<Open | undefined> => {
    try {
      if (line.protocol !== SDK_PROTOCOL) throw otherProtocol(line.protocol);
      if (isPacked) throw packed();
      extensions = remoteExtensions(line.extensions, questions);
      const agent = await openAgent(optionsOf(line, questions), extensions.list);
      const view = servedView(agent);
      const look = (isWhole: boolean): void => {
        const changes = view.changes(isWhole);
        if (changes) send({ type: "view", view: changes });
      };
      look(true);
      agent.subscribe((event) => {
        if (changesView(event)) look(event.type === "agent_settled");
        send({ type: "event", event });
      });
      send({ type: "opened", protocol: SDK_PROTOCOL, version: VERSION });
      return { agent, view, look };
    } catch (error) {
      send({ type: "failed", error: wireError(error) });
      return undefined;
    }
  };
  const call = async ({ id, method, args }: ClientLine & { readonly type: "call" }): Promise<void> => {
    try {
      const value = await (method === "extension" ? acted(id, args) : callOf(await opening, method, args));
      send({ type: "response", id, ...(value === undefined ? {} : { value }) });
    } catch (error) {
      send({ type: "response", id, error: wireError(error) });
    }
  };
  const actions = new Map<number, AbortController>();
  const acted = async (id: number, [name, method, args]: readonly unknown[]): Promise<unknown> => {
    if (!extensions || !Array.isArray(args)) throw new Error("there are no extensions");
    const action = new AbortController();
    actions.set(id, action);
    try {
      return await extensions.act(String(name), String(method), args, action.signal);
    } finally {
      actions.delete(id);
    }
  };
  const serve = (line: ClientLine): void => {
    switch (line.type) {
      case "drop":
        return actions.get(line.id)?.abort();
      case "open":
        return void (opening ??= open(line));
      case "call":
        return void call(line);
      case "answer":
        return questions.answer(line.id, line.value);
      case "refusal":
        return questions.refuse(line.id, line.error);
      case "part":
        return questions.part(line.id, line.value);
      case "registered":
        return extensions?.registered(line.extension, line.registration);
    }
  };
  return {
    take(text) {
      try {
        serve(JSON.parse(text)); // the embedding program's own lines: it has this one's rights already
      } catch (error) {
        send({ type: "failed", error: wireError(error) });
      }
    },
    fail: (error) => send({ type: "failed", error }),
    async close() {
      questions.close();
      const opened = await opening;
      if (!opened) return;
      await opened.agent.close();
      opened.look(true);
      if (output.isBehind()) await standardError.put(`error: ${behindReason()}\n`);
    },
  };

  async function callOf(opened: Open | undefined, name: string, args: readonly unknown[]): Promise<unknown> {
    if (!opened) throw new Error("the session was not opened");
    const method = WIRE_METHODS.find((known) => known === name);
    if (!method) throw new Error(`there is no method "${name}"`);
    try {
      // The client is typed by the same interface; the methods check what they are given as those of an embedded agent do.
      const call = opened.agent[method] as (...args: readonly unknown[]) => unknown;
      return await call(...args.map((arg) => arg ?? undefined));
    } catch (error) {
      // The other side has taken a setting for done.
      opened.view.forget();
      throw error;
    } finally {
      opened.look(true);
    }
  }
}

/** The options with functions that ask the embedding program. */
function optionsOf({ options, model, augments, answers }: OpenLine, questions: WireQuestions): AgentOptions {
  const has = (name: OpenLine["answers"][number]): boolean => answers.includes(name);
  return {
    // This process is the program's own and holds the key.
    hardenProcess: true,
    ...options,
    ...(model === undefined ? {} : { model: typeof model === "string" ? model : remoteModel(model, questions) }),
    // Blocks that the program made are checked where the prompt is compiled.
    ...(augments
      ? { augments: augments.map((one) => ({ ...one, blocks: () => one.blocks } as unknown as PromptAugment)) }
      : {}),
    ...(has("ask") ? { ask: remoteAnswer("ask", PERMISSION_ANSWERS, questions) } : {}),
    ...(has("askGrant") ? { askGrant: remoteAnswer("askGrant", GRANT_ANSWERS, questions) } : {}),
    ...(has("ui") ? { ui: remoteUi(questions) } : {}),
    ...(has("promptBuilder") ? { promptBuilder: remoteBuilder(questions) } : {}),
  };
}

const PERMISSION_ANSWERS: readonly PermissionAnswer[] = ["once", "session", "project", "no"];
const GRANT_ANSWERS: readonly GrantAnswer[] = ["once", "session", "always", "no"];

/** Anything but one of the answers, an error among them, is a no. */
function remoteAnswer<A extends string>(name: "ask" | "askGrant", answers: readonly A[], { put }: WireQuestions) {
  return async (request: object, signal: AbortSignal): Promise<A | "no"> => {
    const given = await put({ name, args: [request] }, signal).catch(() => "no");
    return answers.find((answer) => answer === given) ?? "no";
  };
}

function remoteUi({ put }: WireQuestions): HostUi {
  const textOrNothing = (value: unknown): string | undefined => typeof value === "string" ? value : undefined;
  const ask = async (
    method: keyof HostUi,
    args: readonly unknown[],
    { extension, signal }: { readonly extension: string; readonly signal: AbortSignal },
  ): Promise<unknown> => {
    // As where nobody can be asked.
    return await put({ name: "ui", args: [method, ...args, { extension }] }, signal).catch(() => undefined);
  };
  return {
    async select(title, options, dialog, call) {
      const chosen = await ask("select", [title, options, dialog], call);
      return options.find((option) => option === chosen);
    },
    confirm: async (title, message, dialog, call) => await ask("confirm", [title, message, dialog], call) === true,
    input: async (title, hint, dialog, call) => textOrNothing(await ask("input", [title, hint, dialog], call)),
    notify: async (message, level, call) => void await ask("notify", [message, level], call),
    setStatus: async (key, text, call) => void await ask("setStatus", [key, text ?? null], call),
  };
}

/** What it throws ends the run, as that of a builder in this process. */
function remoteBuilder({ put }: WireQuestions): PromptBuilder {
  return async ({ signal, ...input }) => await put({ name: "promptBuilder", args: [input] }, signal) as string; // checked by whoever asks
}

function remoteModel(
  { name, model }: { readonly name: string; readonly model: string },
  { put }: WireQuestions,
): Provider {
  return {
    name,
    model,
    async *stream(request, signal) {
      const events = createMailbox<ProviderEvent | { readonly error: unknown }>();
      // Events are those of a provider of the program's own, which is trusted as one in this process is.
      void put({ name: "stream", args: [request] }, signal, (event) => events.put(event as ProviderEvent))
        .then(
          () => events.put({ error: new Error("the model ended without an end") }),
          (error) => events.put({ error }),
        );
      for (;;) {
        for (const event of await events.take()) {
          if ("error" in event) {
            yield endedBy(name, model, signal.aborted, event.error);
            return;
          }
          yield event;
          if (event.type === "end") return;
        }
      }
    },
  };
}

function endedBy(provider: string, model: string, isAborted: boolean, error: unknown): ProviderEvent {
  const message = { role: "assistant" as const, content: [], provider, model, timestamp: Date.now() };
  if (isAborted) return { type: "end", message: { ...message, stopReason: "aborted" } };
  const failure = { kind: "network" as const, message: messageOf(error), retry: false };
  return { type: "end", message: { ...message, stopReason: "error", failure } };
}

/** An embedding program brings settings, a prompt and extensions of its own: they would stand above what is packed. */
function packed(): UserError {
  return new UserError({
    what: "A packed program cannot be embedded",
    why: "what is packed into it would not hold for the program that embeds it",
    fix: "Name a plain sandpiper binary; a packed one can be used with --mode rpc",
    exitCode: 3,
  });
}

function otherProtocol(asked: number): UserError {
  return new UserError({
    what: "The program and this sandpiper do not fit together",
    why: `the package speaks version ${asked} of the lines between them, this one version ${SDK_PROTOCOL}`,
    fix: "Install sandpiper and its package of the same version",
  });
}
