import { join } from "@std/path";
import type { Config } from "../../config/config.ts";
import { mayHost } from "../../config/host_permissions.ts";
import type { SessionStore } from "../../core/session.ts";
import { SUB_SESSIONS } from "../../session/folder.ts";
import { createSession, memorySession } from "../../session/store.ts";
import { sessionPlaces, storeOptions, type Tell } from "./session_choice.ts";

/** A session of a sub-agent: beside those of people, in a folder of its own, and kept where its parent's is. */
export function subSession(config: Config, parent: SessionStore, tell: Tell): SessionStore {
  const { folder } = sessionPlaces(config);
  const session = { cwd: config.root, ...(parent.path === undefined ? {} : { parentSession: parent.path }) };
  const place = folder === undefined ? undefined : join(folder, SUB_SESSIONS);
  if (place === undefined || parent.path === undefined || !mayHost({ name: "write", path: place })) {
    return memorySession(session, storeOptions(tell));
  }
  return createSession({ ...session, folder: place }, storeOptions(tell));
}
