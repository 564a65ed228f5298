import type { SdkOptions } from "./options.ts";
import { messageOf, UserError } from "../../src/core/error.ts";
import type { HostUi } from "../../src/core/host_actions.ts";
import type { Provider } from "../../src/core/provider.ts";
import { errorOf, wireError } from "../../src/cli/sdk/questions.ts";
import type { OpenLine, Question, WireError } from "../../src/cli/sdk/wire.ts";
import type { ExtensionFactory } from "../../src/hooks/api/api.ts";
import { createRegistry, type Registry } from "../../src/hooks/api/registry.ts";
import type { Connection } from "./connection.ts";
import { toolsExtension } from "./tools.ts";

/** How many thrown things are kept until the program has said what became of them. */
const MOST_THROWN = 16;

/** What of the options is answered here. */
export interface Answers {
  /** For the line that opens the session. */
  readonly offered: Pick<OpenLine, "model" | "augments" | "extensions" | "answers">;
  readonly question: (id: number, question: Question) => void;
  readonly cancel: (id: number) => void;
  /** What an error of the program's is here: what one of the functions threw is thrown again as it was. */
  readonly thrownBy: (error: WireError) => unknown;
}

type Reach = () => Pick<Connection, "send" | "call">;

/** Answers the program's questions with the functions of the options. `reach` is asked when the session opens. */
export function answersOf(options: SdkOptions, reach: Reach): Answers {
  const { customTools = [], extensions = [], model, augments, audience = "direct" } = options;
  const factories = new Map<string, ExtensionFactory>([
    ...(customTools.length > 0 ? [["custom-tools", toolsExtension(customTools)] as const] : []),
    ...extensions.map((factory, index) => [`program-${index + 1}`, factory] as const),
  ]);
  const registries = new Map<string, Registry>();
  const asked = new Map<number, AbortController>();
  const thrown = new Map<number, unknown>();
  const names = (["ask", "ui", "askGrant", "promptBuilder"] as const).filter((name) => options[name] !== undefined);
  const answer = async (question: Question, signal: AbortSignal, part: (value: unknown) => void): Promise<unknown> => {
    switch (question.name) {
      case "ask":
        return await options.ask?.(question.args[0] as never, signal); // what the interface has, as JSON
      case "askGrant":
        return await options.askGrant?.(question.args[0] as never, signal); // as above
      case "promptBuilder":
        return await options.promptBuilder?.({ ...question.args[0] as object, signal } as never); // as above
      case "ui":
        return await askPerson(options.ui, question.args, signal);
      case "stream": {
        const request = question.args[0] as Parameters<Provider["stream"]>[0]; // as above
        for await (const event of (model as Provider).stream(request, signal)) part(event); // asked for a model of one's own only
        return null;
      }
      case "load": {
        const [name, facts] = question.args;
        const registry = await load(name, factories.get(name), facts, reach);
        registries.set(name, registry);
        return registry.registration();
      }
      default: {
        const [name, ...args] = question.args;
        const registry = registries.get(name);
        if (!registry) throw new Error(`the extension "${name}" is not loaded`);
        return await callExtension(registry, question.name, args, signal, part);
      }
    }
  };
  return {
    offered: {
      ...(model === undefined
        ? {}
        : { model: typeof model === "string" ? model : { name: model.name, model: model.model } }),
      // Blocks are JSON by their type.
      ...(augments
        ? { augments: augments.map(({ channel, blocks }) => ({ channel, blocks: blocks({ audience }) as never })) }
        : {}),
      extensions: [...factories.keys()],
      answers: names,
    },
    question(id, question) {
      const { send } = reach();
      const call = new AbortController();
      asked.set(id, call);
      answer(question, call.signal, (value) => send({ type: "part", id, value }))
        .then((value) => send({ type: "answer", id, ...(value === undefined ? {} : { value }) }))
        .catch((error) => {
          thrown.set(id, error);
          // The last ones are on their way back; older ones were swallowed by the program.
          for (const old of [...thrown.keys()].slice(0, -MOST_THROWN)) thrown.delete(old);
          send({ type: "refusal", id, error: wireError(error) });
        })
        .finally(() => asked.delete(id));
    },
    cancel: (id) => asked.get(id)?.abort(),
    thrownBy: (error) => "question" in error ? thrown.get(error.question ?? 0) ?? errorOf(error) : errorOf(error),
  };
}

async function load(
  name: string,
  factory: ExtensionFactory | undefined,
  facts: Parameters<typeof createRegistry>[0]["facts"],
  reach: Reach,
): Promise<Registry> {
  if (!factory) throw new UserError({ what: `There is no extension "${name}"`, why: "none was given", fix: "Give it" });
  let isLoaded = false;
  const registry = createRegistry({
    facts,
    call: (method, args, signal) => reach().call("extension", [name, method, args], signal),
    changed: (registration) => {
      if (isLoaded) reach().send({ type: "registered", extension: name, registration });
    },
  }, messageOf);
  await factory(registry.api);
  isLoaded = true;
  return registry;
}

async function callExtension(
  registry: Registry,
  kind: string,
  args: readonly unknown[],
  signal: AbortSignal,
  part: (value: unknown) => void,
): Promise<unknown> {
  // deno-lint-ignore no-explicit-any -- each has the arguments that src/cli/sdk/remote_extension.ts gives it
  const [first, second, third] = args as readonly any[];
  switch (kind) {
    case "emit":
      return await registry.emit(first, () => second, signal);
    case "tool":
      return await registry.runTool(first, second, third, signal, part);
    case "command":
      return await registry.runCommand(first, second, signal);
    default:
      return registry.setFlags(first);
  }
}

async function askPerson(
  ui: HostUi | undefined,
  [method, ...args]: readonly [string, ...unknown[]],
  signal: AbortSignal,
): Promise<unknown> {
  const call = { ...args.at(-1) as { readonly extension: string }, signal };
  // deno-lint-ignore no-explicit-any -- each has the arguments that src/cli/sdk/serve.ts gives it
  const [first, second, third] = args as readonly any[];
  switch (method) {
    case "select":
      return await ui?.select(first, second, third, call);
    case "confirm":
      return await ui?.confirm(first, second, third, call);
    case "input":
      return await ui?.input(first, second, third, call);
    case "notify":
      return await ui?.notify(first, second, call);
    case "setStatus":
      return await ui?.setStatus(first, second ?? undefined, call);
  }
}
