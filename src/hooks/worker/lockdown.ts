// Worker permissions alone are not enough: in the runtimes that this program supports, a worker without any permission
// can print on the program's terminal and read from it, read any JSON file with `import()`, and in some versions end the
// program with `process.kill`. So an extension's realm keeps only what is listed here, before its code is evaluated, and
// its code is evaluated where `import` does not exist (linker.ts).

import type { FileChannel } from "../files/channel.ts";
import { denoFiles } from "../files/deno.ts";

/** Names of the global scope that extensions keep. Whatever a new runtime adds is not among them. */
const KEPT = new Set([
  ...["Object", "Function", "Array", "Number", "parseFloat", "parseInt", "Infinity", "NaN", "undefined", "Boolean"],
  ...["String", "Symbol", "Date", "Promise", "RegExp", "Error", "AggregateError", "EvalError", "RangeError"],
  ...["ReferenceError", "SyntaxError", "TypeError", "URIError", "SuppressedError", "globalThis", "JSON", "Math"],
  ...["Intl", "ArrayBuffer", "DataView", "Uint8Array", "Int8Array", "Uint16Array", "Int16Array", "Uint32Array"],
  ...["Int32Array", "BigUint64Array", "BigInt64Array", "Uint8ClampedArray", "Float16Array", "Float32Array"],
  ...["Float64Array", "Map", "Set", "WeakMap", "WeakSet", "WeakRef", "BigInt", "FinalizationRegistry", "Iterator"],
  ...["Proxy", "Reflect", "Temporal", "DisposableStack", "AsyncDisposableStack", "decodeURI", "decodeURIComponent"],
  ...["encodeURI", "encodeURIComponent", "escape", "unescape", "isFinite", "isNaN", "queueMicrotask"],
  ...["structuredClone", "atob", "btoa", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  ...["crypto", "CryptoKey", "SubtleCrypto", "AbortController", "AbortSignal", "Event", "EventTarget", "CustomEvent"],
  ...["DOMException", "Blob", "File", "FormData", "Headers", "Request", "Response", "fetch", "WebSocket"],
  ...["EventSource", "URL", "URLSearchParams", "URLPattern", "TextDecoder", "TextEncoder", "TextDecoderStream"],
  ...["TextEncoderStream", "CompressionStream", "DecompressionStream", "ReadableStream", "WritableStream"],
  ...["TransformStream", "ByteLengthQueuingStrategy", "WebAssembly", "Buffer", "CountQueuingStrategy"],
  ...["MessageEvent", "CloseEvent", "ErrorEvent", "ProgressEvent", "self"],
]);

/** What extensions keep of `Deno`; file functions are replaced. */
const DENO_KEPT = ["errors", "inspect"];

/** What stands in for the objects that were taken away. */
export interface Substitutes {
  readonly cwd: string;
  /** Variables that the worker may read. */
  readonly env: readonly string[];
  readonly log: (level: "info" | "warning" | "error", text: string) => void;
  /** How file functions reach the host. */
  readonly files: FileChannel;
}

/** Narrows the global scope for good; gives the one way to evaluate code that is left. */
export function lockDown({ cwd, env, log, files }: Substitutes): (code: string) => unknown {
  const scope: Record<string, unknown> = globalThis;
  // Called under another name, so that code sees the global scope and not this function's.
  const evaluate = globalThis.eval;
  const runtime = Deno as unknown as Record<string, unknown>; // read by name, from a list of names
  const { inspect, build } = Deno;
  const variables = Object.fromEntries(env.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
  const getVariable = (name: string): string | undefined =>
    Object.hasOwn(variables, name) ? variables[name] : undefined;

  const timers = [["setTimeout", globalThis.setTimeout], ["setInterval", globalThis.setInterval]] as const;
  for (const name of Object.getOwnPropertyNames(scope)) {
    if (!KEPT.has(name)) delete scope[name];
  }
  // Functions can be made from texts through the constructor of any function, and timers take texts too.
  const refuse = (): never => {
    throw new EvalError("Code from texts is not available to extensions");
  };
  const NoFunction = function Function(): never {
    return refuse();
  };
  NoFunction.prototype = Function.prototype; // `instanceof Function` goes on working
  for (const made of [function () {}, async function () {}, function* () {}, async function* () {}]) {
    Object.defineProperty(Object.getPrototypeOf(made), "constructor", { value: NoFunction, configurable: false });
  }
  for (const [name, original] of timers) {
    scope[name] = (callback: unknown, ...rest: unknown[]) => {
      if (typeof callback !== "function") return refuse();
      // A function was just checked for; the rest is passed as it came.
      return original(callback as () => void, ...(rest as [number]));
    };
  }
  const say = (level: "info" | "warning" | "error") => (...items: unknown[]): void =>
    log(level, items.map((item) => typeof item === "string" ? item : inspect(item)).join(" "));
  const info = say("info");
  Object.assign(scope, {
    eval: refuse,
    Function: NoFunction,
    console: { log: info, info, debug: info, dir: info, trace: info, warn: say("warning"), error: say("error") },
    Deno: Object.freeze({
      ...Object.fromEntries(DENO_KEPT.map((name) => [name, runtime[name]])),
      ...denoFiles(files),
      ...{ build: { ...build }, cwd: () => cwd },
      env: Object.freeze({ get: getVariable, has: (name: string) => getVariable(name) !== undefined }),
    }),
    process: Object.freeze({ cwd: () => cwd, env: Object.freeze({ ...variables }), platform: build.os, argv: [] }),
  });
  return (code) => evaluate(code);
}
