import { type Agent, type AgentOptions, createAgent as embedded } from "../../src/mod.ts";

/** What opens an agent. */
type CreateAgent = (options?: AgentOptions) => Promise<Agent>;

let chosen: CreateAgent = embedded;

/** The SDK under test: the embedded one, unless a test file has chosen another before it imports the tests. */
export const createAgent: CreateAgent = (options) => chosen(options);

/** Tests that are imported after this are about another one. */
export function choose(other: CreateAgent): void {
  chosen = other;
}

/** Whether the tests are about the embedded one. */
export function isEmbedded(): boolean {
  return chosen === embedded;
}
