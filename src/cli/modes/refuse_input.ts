// A start without a model opens no session, which would find what else is wrong. Loaded for such a start alone.
import type { Config } from "../../config/config.ts";
import { namedFilesOf } from "../../config/named_files.ts";
import { findExtensions } from "../../engine/extensions.ts";
import { refuseWithPlan } from "../../engine/plan.ts";
import { openProof } from "../../engine/proof/proof.ts";
import { gatherBase } from "../../engine/prompt/prompt_sources.ts";
import { refuseUnfit } from "../../engine/sessions/resumed_session.ts";
import { refuseUnknown } from "../../engine/tools/active_tools.ts";
import { openTools, type ToolsHost } from "../../engine/tools/tools_host.ts";
import { TOOLS } from "../../../tools/mod.ts";
import { assembleMessage, attachedImages } from "../input/message.ts";

/**
 * Throws the UserError of whatever is wrong with the command line, so that this is said before what is missing. Starts no
 * process and no extension, asks nobody, and keeps nothing.
 */
export async function refuseInput(config: Config): Promise<void> {
  const { invocation: { words, values }, world: { cwd, home } } = config;
  const parts = { words, cwd, home, files: namedFilesOf(config) };
  assembleMessage(parts);
  attachedImages(parts);
  refuseUnfit(config);
  if (values["plan"] === true) refuseWithPlan(config);
  const tools = openTools(config, false);
  try {
    await refuseTools(config, tools);
    await gatherBase(config, tools, "text");
  } finally {
    await tools.close();
  }
}

/** Throws UserError if a session with this configuration would not start because of its scopes, tools or checks. */
export async function refuseSession(config: Config): Promise<void> {
  const tools = openTools(config, false);
  try {
    await refuseTools(config, tools);
  } finally {
    await tools.close();
  }
}

async function refuseTools(config: Config, tools: ToolsHost): Promise<void> {
  const extensions = findExtensions(config, true, () => {});
  // Which tools an extension brings is known when it runs.
  if (extensions.length === 0) refuseUnknown(tools.foreign, TOOLS.map(({ name }) => name), true);
  await openProof(config, tools, undefined);
}
