import { programName } from "../../core/version.ts";
import { isAbsolute } from "@std/path";
import { type Config, configure } from "../../config/config.ts";
import { readVariable, readWorld } from "../../config/host_environment.ts";
import type { Invocation } from "../../config/options/parse.ts";
import { messageOf, UserError } from "../../core/error.ts";
import { nearest } from "../../core/support/nearest.ts";
import { counted, stripControls, visibleJson } from "../../core/support/text.ts";
import { loginStore } from "../../engine/mcp/logins.ts";
import { ownerOf, serversOf } from "../../config/project_servers.ts";
import { openSessionMcp } from "../../engine/mcp/mcp.ts";
import { firstModel } from "../../engine/model/first_model.ts";
import type { ModelChoice } from "../../engine/model/model.ts";
import { grantFolder } from "../../engine/tools/grant_folder.ts";
import { recordServer } from "../../engine/tools/grants.ts";
import { openTools } from "../../engine/tools/tools_host.ts";
import { isStdio, readServer, type WrittenServer } from "../../mcp/config.ts";
import { warner } from "../output/report.ts";
import { watchSignals } from "../output/signals.ts";
import { writeAll } from "../output/write_all.ts";
import { loginCommand } from "./mcp_login.ts";

const USAGE =
  "Write sandpiper mcp add NAME URL, mcp add NAME -- PROGRAM ARGS, or mcp list, test, remove, login, logout";

const VERBS: readonly string[] = ["list", "add", "test", "remove", "login", "logout"];

/** `sandpiper mcp`: servers of the settings and of a trusted project. */
export async function mcpCommand(invocation: Invocation): Promise<number> {
  const [verb = "list", name, ...rest] = invocation.words;
  const config = configure(invocation, readWorld());
  for (const warning of config.warnings) warner(invocation)(warning);
  if (verb === "list" && name === undefined) return list(config);
  if (!VERBS.includes(verb)) throw unknown(verb);
  if (verb === "list") throw usage("mcp list takes no name");
  if (name === undefined) throw usage(`mcp ${verb} needs a name`);
  if (verb === "add") return add(config, name, rest);
  if (rest.length > 0) throw usage(`"${rest.join(" ")}" says nothing here`);
  switch (verb) {
    case "test":
      return await test(config, name);
    case "remove":
      return remove(config, name);
    case "login": {
      const server = readServer(named(config, name));
      if ("why" in server || isStdio(server)) throw noLogin(name, "why" in server ? server.why : "it is a program");
      return await loginCommand(config, name, server);
    }
    case "logout": {
      const { url } = named(config, name);
      if (url === undefined) throw noLogin(name, "it is a program");
      const had = loginStore(config.stateFolder, url, ownerOf(config, name)).remove();
      return say(had ? `Logged out of ${name}: its tokens are deleted here\n` : `There was no login for ${name}\n`);
    }
    default:
      throw new Error(`no handler for mcp ${verb}`);
  }
}

function add(config: Config, name: string, words: readonly string[]): number {
  if (!/^[\w.-]{1,64}$/.test(name)) throw usage(`"${name}" is no name: letters, digits, "_", "-" and "."`);
  const [first, ...args] = words;
  if (first === undefined) throw usage("neither an address nor a program is named");
  const { exposure } = config.invocation.values;
  const isUrl = /^https?:\/\//i.test(first);
  if (isUrl && args.length > 0) throw usage(`"${args.join(" ")}" says nothing behind an address`);
  const server: WrittenServer = {
    ...variablesOf(config, isUrl),
    ...(isUrl ? { url: first } : { command: first, ...(args.length > 0 ? { args } : {}) }),
    // The option table allows nothing else.
    ...(typeof exposure === "string" ? { exposure: exposure as NonNullable<WrittenServer["exposure"]> } : {}),
  };
  if (!isUrl && /^[a-z]+:\//i.test(first)) throw usage(`"${first}" is no address: it begins with https:// or http://`);
  // As at the start of the server, which would be too late to say it.
  if (!isUrl && first.includes("/") && !isAbsolute(first)) {
    throw usage(`"${first}" must be a program's name or an absolute path`);
  }
  if (isUrl) {
    const url = URL.parse(first);
    if (url === null) throw usage(`"${first}" is no address`);
    if (url.username !== "" || url.password !== "") throw usage("the address holds a name or password");
  }
  if (Object.hasOwn(config.user.mcpServers ?? {}, name)) {
    throw new UserError({
      what: `Cannot add the MCP server "${name}"`,
      why: "there is one of that name",
      fix: `Take another name, or first write sandpiper mcp remove ${name}`,
    });
  }
  const folder = grantFolder(config);
  recordServer(folder, name, server);
  const port = (url: URL): string => url.port || (url.protocol === "https:" ? "443" : "80");
  const url = isUrl ? new URL(first) : undefined;
  return say(
    [
      `Added ${name} (${target(server)}) to ${folder}/settings.json`,
      url
        ? `Sessions reach it with --allow-net=+${url.hostname}:${port(url)}, or with "permissions" in the settings`
        : "",
      `${programName()} mcp test ${name} tries it`,
    ].filter((line) => line !== "").join("\n") + "\n",
  );
}

/** What `--env` and `--header-env` name: where values are, never a value, which would stand in the settings. */
function variablesOf({ invocation: { values } }: Config, isUrl: boolean): Pick<WrittenServer, "envFrom" | "headerEnv"> {
  const listOf = (name: string): readonly string[] => {
    const value = values[name];
    return Array.isArray(value) ? value.map(String) : [];
  };
  const [names, headers] = [listOf("env"), listOf("header-env")];
  const isName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);
  if (isUrl && names.length > 0) throw usage("--env is for a program; a server at an address takes --header-env");
  if (!isUrl && headers.length > 0) throw usage("--header-env is for an address; a program takes --env");
  if (!names.every(isName)) throw usage("--env takes the name of a variable and no value");
  const pairs = headers.map((text) => /^([\w-]+)=(.*)$/.exec(text)?.slice(1) ?? []);
  if (!pairs.every(([, name = ""]) => isName(name))) {
    throw usage("--header-env takes HEADER=NAME, where NAME is a variable that holds the value");
  }
  return {
    ...(names.length > 0 ? { envFrom: names } : {}),
    ...(pairs.length > 0 ? { headerEnv: Object.fromEntries(pairs) } : {}),
  };
}

function remove(config: Config, name: string): number {
  const own = config.user.mcpServers ?? {};
  if (!Object.hasOwn(own, name)) {
    named(config, name);
    throw new UserError({
      what: `Cannot remove the MCP server "${name}"`,
      why: "the project's .mcp.json names it, and not your settings",
      fix: "Take it out of that file, or start with --no-trust",
    });
  }
  const { url } = own[name] ?? {};
  const hadLogin = url !== undefined && loginStore(config.stateFolder, url, "").remove();
  recordServer(grantFolder(config), name, undefined);
  return say(`Removed ${name}${hadLogin ? " and its login" : ""}\n`);
}

function list(config: Config): number {
  const found = serversOf(config);
  for (const warning of found.warnings) warner(config.invocation)(warning);
  const servers = Object.entries(found.servers);
  if (config.invocation.values["json"]) {
    const views = servers.map(([name, written]) => ({ name, ...viewOf(config, name, written) }));
    return say(visibleJson(views, 2) + "\n");
  }
  if (servers.length === 0) return say(`No MCP servers. ${USAGE}\n`);
  const width = Math.max(...servers.map(([name]) => name.length));
  const lines = servers.map(([name, written]) => {
    const { target, exposure, source, login, problem } = viewOf(config, name, written);
    const notes = [
      ...(exposure === "all" ? [] : [exposure]),
      ...(source === "project" ? ["this project's"] : []),
      ...(login ? ["logged in"] : []),
      ...(problem === undefined ? [] : [`cannot be used: ${problem}`]),
    ];
    return `${name.padEnd(width)}  ${target}${notes.length > 0 ? `  [${notes.join("; ")}]` : ""}`;
  });
  return say(lines.join("\n") + "\n");
}

function viewOf(config: Config, name: string, written: WrittenServer) {
  const read = readServer(written);
  const owner = ownerOf(config, name);
  const { url } = written;
  return {
    target: target(written),
    exposure: written.exposure ?? "all",
    source: owner === "" ? "user" : "project",
    login: url !== undefined && loginStore(config.stateFolder, url, owner).read()?.url === url,
    ...("why" in read ? { problem: read.why } : {}),
  };
}

/** Starts one server as a session would, and says what it has. */
async function test(config: Config, name: string): Promise<number> {
  const written = named(config, name);
  const watch = watchSignals();
  const warn = warner(config.invocation);
  const tools = openTools(config, true, undefined, true, warn);
  const opened = openSessionMcp({
    config,
    servers: { [name]: { ...written, exposure: "all" } },
    choice: await choiceOf(config),
    policy: () => tools.policy,
    onNotice: warn,
    activate: () => {},
  });
  try {
    await opened.ready(watch.signal);
    const [state] = opened.states();
    if (state?.state !== "ready") return watch.exitCode() ?? 1; // why is told by then
    const lines = opened.tools().map((tool) => `  ${tool.name}: ${firstLine(tool.description)}`);
    return say([`${name} works: ${counted(lines.length, "tool")}`, ...lines, ""].join("\n"));
  } finally {
    await opened.close();
    await tools.close();
    watch.stop();
  }
}

/** Whose key no server gets; where no model can be chosen there is none. */
async function choiceOf(config: Config): Promise<ModelChoice> {
  try {
    return await firstModel(config, readVariable);
  } catch (error) {
    if (!(error instanceof UserError)) throw new Error(messageOf(error), { cause: error });
    return { kind: "replay", file: "" };
  }
}

function named(config: Config, name: string): WrittenServer {
  const { servers } = serversOf(config);
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (server) return server;
  const names = Object.keys(servers);
  const near = nearest(name, names);
  throw new UserError({
    what: `There is no MCP server "${name}"`,
    why: names.length === 0 ? "no settings name any" : `there are ${names.join(", ")}`,
    fix: near === undefined ? USAGE : `Did you mean ${near}?`,
  });
}

function target({ url, command, args = [] }: WrittenServer): string {
  return url ??
    [command ?? "", ...args].map((word) => /^[\w./:=@%+-]+$/.test(word) ? word : JSON.stringify(word)).join(" ");
}

function firstLine(text: string): string {
  const line = text.split("\n")[0] ?? "";
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}

function noLogin(name: string, why: string): UserError {
  return new UserError({
    what: `Cannot log in to the MCP server "${name}"`,
    why,
    fix: "Logins are for servers with a url",
  });
}

function unknown(verb: string): UserError {
  const near = nearest(verb, VERBS);
  return new UserError({
    what: `Cannot do "mcp ${verb}"`,
    why: `it is none of ${VERBS.join(", ")}`,
    fix: near === undefined ? USAGE : `Did you mean sandpiper mcp ${near}?`,
  });
}

function usage(why: string): UserError {
  return new UserError({ what: "Cannot run sandpiper mcp", why, fix: USAGE });
}

function say(text: string): number {
  writeAll(Deno.stdout, stripControls(text));
  return 0;
}
