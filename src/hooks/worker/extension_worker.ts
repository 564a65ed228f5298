// The worker in which one extension runs. It starts with the permissions that were granted and nothing else; the files of
// the extension come as texts, and it talks to the program in messages only.
import * as api from "../api/api.ts";
import { getHeapStatistics } from "node:v8";
import type { MessagePort as NodePort } from "node:worker_threads";
import { applyDelta, contextText } from "../events/context_delta.ts";
import { type Frame, frameText, type HostOp, type LoadOrder, readFrame, type WorkerOp } from "./frame.ts";
import { MAX_UNITS } from "../events/json_text.ts";
import { type FileChannel, fileChannel } from "../files/channel.ts";
import { link, type LinkModule } from "../code/linker.ts";
import { ENDED } from "./link.ts";
import { lockDown } from "./lockdown.ts";
import { NODE_MODULES, nodeModule } from "../code/node_modules.ts";
import { createRegistry, type Registry } from "../api/registry.ts";
import { talk } from "./talk.ts";

/** The part of a worker's global scope in use; the program is checked against the types of a window. */
interface WorkerScope {
  postMessage(text: string): void;
  addEventListener(type: string, listener: (event: FromHost) => void): void;
}

type FromHost = Event & { readonly data?: unknown; readonly reason?: unknown; readonly ports?: readonly MessagePort[] };

// This module runs in a worker only, where the global scope has both.
const scope = globalThis as unknown as WorkerScope;
const post = scope.postMessage.bind(scope);
const send = (op: WorkerOp, id: number, body: string): void => {
  // Longer messages make the host end the worker; refused here, they fail one call only.
  if (body.length > MAX_UNITS) throw new RangeError(`it is larger than ${MAX_UNITS / 1024 / 1024} MB`);
  post(frameText({ op, id, body }));
};
const memoryUsage = Deno.memoryUsage;
const heapLimit = (): number => getHeapStatistics().heap_size_limit;
const firstHeapLimit = heapLimit();

const talking = talk(send);
let order: LoadOrder | undefined;
let modules: readonly LinkModule[] = [];
let registry: Registry | undefined;
/** JSON texts of the last context event's messages. */
let messages: readonly string[] = [];
const calls = new Map<number, AbortController>();

/**
 * Waits for a message that nobody sends. A worker whose handler was stopped at the heap's limit has nothing else to wait
 * for, and the runtime takes that for a fault of its own and ends the process. No event names it, so no extension finds it.
 */
const vigil = new MessageChannel();
vigil.port1.onmessage = () => {};

/** The port for memory probes: it is still served when a handler has used up the heap. */
let probes: MessagePort | undefined;
/** Where answers arrive while this thread waits, and how many there were; see `Link.wake`. */
let answers: MessagePort | undefined;
let answered: Int32Array | undefined;

scope.addEventListener("message", (event) => {
  const [port, second] = event.ports ?? [];
  if (port && !probes) {
    answers = second;
    // The first message holds this buffer.
    answered = new Int32Array(event.data as SharedArrayBuffer);
    probes = port;
    probes.onmessage = ({ data }) => take(data);
  } else take(event.data);
});

function take(data: unknown): void {
  const frame = readFrame(data);
  // The host sends only the operations of `HostOp`.
  if (frame) receive(frame as Frame<HostOp>);
}
for (const type of ["error", "unhandledrejection"]) {
  scope.addEventListener(type, (event) => {
    // An exception outside of a call, from a timer say, would end the worker otherwise.
    event.preventDefault();
    const thrown: unknown = "error" in event ? event.error : event.reason;
    talking.log("error", `failed outside a call: ${describeError(thrown)}`);
  });
}

function receive({ op, id, body }: Frame<HostOp>): void {
  switch (op) {
    case "load":
      return answer(id, "compiled", () => compile(JSON.parse(body)));
    case "run":
      return answer(id, "loaded", run);
    case "emit":
      return answer(id, "done", (signal) => {
        const [name = "", event = ""] = splitAtLine(body);
        if (name !== "context") return opened().emit(name, () => event, signal);
        const now = messages = applyDelta(messages, event);
        return opened().emit(name, () => contextText(now), signal);
      });
    case "tool":
      return answer(id, "done", async (signal) => {
        const { name, args, callId } = JSON.parse(body);
        const update = (partial: unknown): void => {
          if (calls.has(id)) send("update", id, JSON.stringify(partial));
        };
        try {
          return JSON.stringify(await opened().runTool(name, args, callId, signal, update));
        } finally {
          calls.delete(id); // updates after the end are nobody's
        }
      });
    case "command":
      return answer(id, "done", async (signal) => {
        const [name = "", args = ""] = splitAtLine(body);
        await opened().runCommand(name, args, signal);
        return "";
      });
    case "abort":
      return calls.get(id)?.abort();
    case "reply":
    case "refuse":
      return talking.settle(id, op === "reply", body);
    case "flags":
      return registry?.setFlags(JSON.parse(body));
    case "probe": {
      const { heapTotal, external } = memoryUsage();
      // The runtime lifts the limit when it has stopped a handler at it.
      const held = heapLimit() > firstHeapLimit ? heapLimit() : heapTotal + external;
      return send("memory", id, String(held));
    }
  }
}

/** Answers a call once, with what `work` gives or with why it failed. */
function answer(id: number, op: WorkerOp, work: (signal: AbortSignal) => Promise<string>): void {
  const call = new AbortController();
  calls.set(id, call);
  Promise.try(work, call.signal)
    .then((body) => send(op, id, body))
    // If sending fails, nothing was sent yet, so the call can still be answered with that failure.
    .catch((error) => send("failed", id, describeError(error).slice(0, 2000)))
    .finally(() => calls.delete(id));
}

/** Compiles the modules; the answer is sent before any code of the extension runs. */
async function compile(loaded: LoadOrder): Promise<string> {
  order = loaded;
  known = loaded.modules.map(({ path }) => path);
  if (!loaded.isSource) {
    modules = loaded.modules;
    return "";
  }
  const { transpile } = await import("../code/transpile.ts");
  modules = await Promise.all(loaded.modules.map(async (module) => ({
    ...module,
    code: module.path.endsWith(".json") ? module.code : await transpile(module.path, module.code),
  })));
  return JSON.stringify(modules);
}

async function run(): Promise<string> {
  if (!order) throw new Error("nothing to run");
  let isLoaded = false;
  const made = createRegistry({
    facts: order.facts,
    call: talking.ask,
    changed: (registration) => {
      if (isLoaded) send("registered", 0, JSON.stringify(registration));
    },
  }, describeError);
  const files = await openFileChannel(order.hasFiles);
  const evaluate = lockDown({ cwd: order.facts.cwd, env: order.env, log: talking.log, files });
  const exports = await link(modules, {
    evaluate,
    external: (specifier) =>
      specifier === "sandpiper" ? Promise.resolve({ ...api, __esModule: true }) : nodeModule(specifier, files),
    externals: ['"sandpiper"', ...NODE_MODULES, "and their own files"],
  });
  const factory = exports["default"];
  if (typeof factory !== "function") throw new Error("it has no function as its default export");
  await factory(made.api);
  registry = made;
  isLoaded = true;
  return JSON.stringify(made.registration());
}

/** How file functions reach the host. */
async function openFileChannel(hasFiles: boolean): Promise<FileChannel> {
  if (!hasFiles || !answers || !answered) return fileChannel(undefined);
  // The runtime has one kind of port, which its two families of types describe differently.
  const [port, count] = [answers as unknown as NodePort, answered];
  const { receiveMessageOnPort } = await import("node:worker_threads");
  const { load, wait } = Atomics;
  return fileChannel({
    send: talking.askFile,
    sendNow: (body) => {
      send("filenow", 0, body);
      for (;;) {
        const before = load(count, 0);
        const answer = receiveMessageOnPort(port);
        if (answer) return JSON.parse(answer.message);
        if (before === ENDED) throw new Error("the program has ended this extension");
        wait(count, 0, before);
      }
    },
  });
}

function opened(): Registry {
  if (!registry) throw new Error("it is not loaded yet");
  return registry;
}

function splitAtLine(body: string): readonly string[] {
  const end = body.indexOf("\n");
  return end < 0 ? [body] : [body.slice(0, end), body.slice(end + 1)];
}

/** The extension's own files. */
let known: readonly string[] = [];

/** What was thrown, with the file and line of the extension's source from which it came, where that is known. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  const text = name === "Error" || message.startsWith(`${name}:`) ? message : `${name}: ${message}`;
  const place = placeIn(String(stack ?? ""));
  return place === undefined || text.includes(place) ? text : `${text} (${place})`;
}

/** The first place of a stack that lies in one of the extension's files: `path:line:column`. */
function placeIn(stack: string): string | undefined {
  for (const line of stack.split("\n")) {
    const path = known.find((candidate) => line.includes(candidate));
    const place = path === undefined ? null : /(?:, <anonymous>)?:(\d+):(\d+)\)?$/.exec(line);
    if (place) return `${path}:${place[1]}:${place[2]}`;
  }
  return undefined;
}
