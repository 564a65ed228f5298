import type { AgentOptions } from "../../src/cli/sdk/options.ts";

/** What an agent is made with: the options of an embedded one, and which program is started. */
export interface SdkOptions extends AgentOptions {
  /**
   * The sandpiper binary, or the words that start it. When left out: `SANDPIPER_BINARY`, else the one of the npm package
   * `sandpiper`, else `sandpiper` as PATH has it.
   */
  readonly binary?: string | readonly string[];
}
