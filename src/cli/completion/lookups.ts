import { resolve } from "@std/path";
import { attempt } from "../../core/support/attempt.ts";
import { type Config, configure } from "../../config/config.ts";
import { packedFolder, readVariable, readWorld } from "../../config/host_environment.ts";
import type { Values } from "../../config/options/parse.ts";
import { stripControls } from "../../core/support/text.ts";
import type { Candidate, Lookups } from "./candidates.ts";

/** Sessions that are offered. */
const MOST_SESSIONS = 30;
/** Names that are offered of one folder. */
const MOST_FILES = 500;

/** What this machine and this workspace have. Nothing is asked over the network, and nothing is written. */
export function lookupsHere(values: Values): Lookups {
  let made: Config | undefined;
  const config = (): Config => made ??= configure({ values, words: [] }, readWorld());
  // A shell that completes words is no place for errors.
  const silent = <T>(work: () => Promise<readonly T[]>) => () => work().catch((): readonly T[] => []);
  return {
    sessions: silent(async () => {
      const { listSessions } = await import("../../session/list.ts");
      const { workspaceFolders } = await import("../../engine/sessions/session_choice.ts");
      const { oneLine } = await import("../../session/view/visible_text.ts");
      const here = config();
      const sessions = workspaceFolders(here).flatMap((folder) => listSessions(folder))
        .filter(({ cwd }) => cwd === here.root).slice(0, MOST_SESSIONS);
      return [
        ...(sessions.length > 0 ? [{ value: "latest", meaning: "the newest of this workspace" }] : []),
        ...sessions.map(({ id, name, firstMessage }) => ({ value: id, meaning: oneLine(name ?? firstMessage, 60) })),
      ];
    }),
    models: silent(async () => {
      const { tableOf } = await import("../../engine/model/model.ts");
      const { modelName } = await import("../../engine/model/available.ts");
      const { missingOf } = await import("../../engine/model/resolve_endpoint.ts");
      const { catalogueModels } = await import("../../provider/models/models.ts");
      const { settings } = config();
      const asked = [...tableOf(settings).values()].filter((entry) => !missingOf(entry, readVariable));
      const names = asked.flatMap((entry) =>
        catalogueModels(entry.catalogue ?? entry.name).map((id) => modelName(entry, id, settings))
      );
      return [
        ...new Set([...Object.keys(settings.models ?? {}), ...names, ...asked.map(({ name }) => `${name}/`)]),
      ].map((value) => ({ value }));
    }),
    providers: silent(async () => {
      const { tableOf } = await import("../../engine/model/model.ts");
      return [...tableOf(config().settings).values()].map(({ name, label }) => ({ value: name, meaning: label }));
    }),
    skills: silent(async () => {
      const { discover } = await import("../../engine/resources/skills.ts");
      const { openTools } = await import("../../engine/tools/tools_host.ts");
      const tools = openTools(config(), false);
      try {
        const { skills } = await discover(config(), tools.bundled, tools.policy);
        return skills.map(({ name, description }) => ({ value: `/skill:${name}`, meaning: description }));
      } finally {
        await tools.close();
      }
    }),
    templates: silent(async () => {
      const { discoverTemplates } = await import("../../context/templates/templates.ts");
      const { root, projectFolder, userFolder, trusted, world } = config();
      const { templates } = await discoverTemplates({
        root,
        projectFolder,
        userFolder,
        packed: packedFolder(world, "templates"),
        explicit: [],
        trusted,
        enabled: true,
      });
      return templates.map(({ name, description }) => ({ value: `/${name}`, meaning: description }));
    }),
    agents: silent(async () => {
      const { findAgents } = await import("../../engine/resources/agents.ts");
      const { agents } = await findAgents(config());
      return agents.map(({ name, description }) => ({ value: name, meaning: description }));
    }),
    servers: silent(async () => {
      const { serversOf } = await import("../../config/project_servers.ts");
      return Object.keys(serversOf(config()).servers).map((value) => ({ value }));
    }),
    files: (path) => filesAt(path, config().world.cwd),
  };
}

function filesAt(path: string, cwd: string): readonly Candidate[] {
  const cut = path.lastIndexOf("/") + 1;
  const [before, start] = [path.slice(0, cut), path.slice(cut)];
  return attempt(() =>
    [...Deno.readDirSync(resolve(cwd, before))]
      .filter(({ name }) => name.startsWith(start) && (start.startsWith(".") || !name.startsWith(".")))
      .filter(({ name }) => stripControls(name) === name)
      .slice(0, MOST_FILES)
      .map(({ name, isDirectory }) => ({ value: `${before}${name}${isDirectory ? "/" : ""}` }))
      .sort((a, b) => a.value < b.value ? -1 : 1)
  ) ?? [];
}
