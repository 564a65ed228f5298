// The registry mirror of @std ships plain JavaScript, so every name would be `any` and a misspelt one would pass
// `deno check`. These declarations win over the resolved modules; test/types/std_test.ts asserts that each name exists.

declare module "@std/cli" {
  export interface ParseOptions {
    boolean?: readonly string[];
    string?: readonly string[];
    collect?: readonly string[];
    alias?: Record<string, string | readonly string[]>;
    default?: Record<string, unknown>;
    negatable?: readonly string[];
    stopEarly?: boolean;
    "--"?: boolean;
    unknown?: (arg: string, key?: string, value?: unknown) => unknown;
  }
  export function parseArgs(args: readonly string[], options?: ParseOptions): Record<string, unknown> & { _: string[] };
}

declare module "@std/path" {
  export function basename(path: string, suffix?: string): string;
  export function dirname(path: string): string;
  export function extname(path: string): string;
  export function fromFileUrl(url: string | URL): string;
  export function isAbsolute(path: string): boolean;
  export function join(...paths: string[]): string;
  export function normalize(path: string): string;
  export function relative(from: string, to: string): string;
  export function resolve(...paths: string[]): string;
  export function toFileUrl(path: string): URL;
}

declare module "@std/yaml" {
  export function parse(content: string, options?: { schema?: "core" | "json" | "failsafe" | "default" }): unknown;
  export function stringify(data: unknown): string;
}

declare module "@std/front-matter" {
  export function test(text: string): boolean;
  export function extractYaml(text: string): { frontMatter: string; body: string; attrs: unknown };
}

declare module "@std/assert" {
  export class AssertionError extends Error {}
  export function assert(condition: unknown, message?: string): asserts condition;
  export function assertEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertNotEquals<T>(actual: T, expected: T, message?: string): void;
  export function assertStrictEquals<T>(actual: unknown, expected: T, message?: string): asserts actual is T;
  export function assertMatch(actual: string, expected: RegExp, message?: string): void;
  export function assertNotMatch(actual: string, expected: RegExp, message?: string): void;
  export function assertStringIncludes(actual: string, expected: string, message?: string): void;
  export function assertExists<T>(actual: T, message?: string): asserts actual is NonNullable<T>;
  export function assertGreater<T>(actual: T, expected: T, message?: string): void;
  export function assertLess<T>(actual: T, expected: T, message?: string): void;
  export function assertLessOrEqual<T>(actual: T, expected: T, message?: string): void;
  export function assertObjectMatch(actual: object, expected: object, message?: string): void;
  export function assertThrows<E extends Error = Error>(
    fn: () => unknown,
    errorClass?: new (...args: never[]) => E,
    messageIncludes?: string,
  ): E;
  export function assertRejects<E extends Error = Error>(
    fn: () => PromiseLike<unknown>,
    errorClass?: new (...args: never[]) => E,
    messageIncludes?: string,
  ): Promise<E>;
  export function fail(message?: string): never;
}

declare module "@std/expect" {
  export interface Matchers {
    not: Matchers;
    toBe(expected: unknown): void;
    toEqual(expected: unknown): void;
    toContain(expected: unknown): void;
    toMatch(expected: RegExp | string): void;
    toMatchObject(expected: object): void;
    toHaveLength(expected: number): void;
    toBeGreaterThan(expected: number): void;
    toBeLessThan(expected: number): void;
    toBeDefined(): void;
    toBeUndefined(): void;
    toThrow(expected?: unknown): void;
  }
  export function expect(actual: unknown): Matchers;
}

declare module "turndown" {
  /** As much of a DOM node as rules look at. */
  export interface TurndownNode {
    readonly nodeName: string;
    readonly parentNode: TurndownNode | null;
    readonly previousElementSibling?: TurndownNode | null;
    readonly childNodes: ArrayLike<TurndownNode>;
    readonly getAttribute?: (name: string) => string | null;
  }
  export interface TurndownRule {
    readonly filter: (node: TurndownNode) => boolean;
    readonly replacement: (content: string, node: TurndownNode) => string;
  }
  export default class Turndown {
    constructor(options?: Readonly<Record<string, string>>);
    remove(names: readonly string[]): this;
    addRule(key: string, rule: TurndownRule): this;
    turndown(html: string): string;
  }
}
