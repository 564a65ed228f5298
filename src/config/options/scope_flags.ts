import type { Flag } from "./flag.ts";

/** Options that say which tools there are and what they may touch. */
export const SCOPE_FLAGS = [
  {
    name: "tools",
    short: "t",
    kind: "list",
    value: "LIST",
    group: "Tools and their scope",
    setting: "tools",
    help: "tools (default read,bash,edit,write; fetch with --allow-net; ls, …)",
  },
  { name: "no-tools", kind: "boolean", group: "Tools and their scope", help: "no tools at all" },
  {
    name: "allow-read",
    kind: "scope",
    value: "PATH,…",
    group: "Tools and their scope",
    help: "what tools may read (default: workspace; +PATH adds); bare: all but secrets",
  },
  {
    name: "allow-write",
    kind: "scope",
    value: "PATH,…",
    group: "Tools and their scope",
    help: "what tools may write (default: workspace; +PATH adds); bare: all but secrets",
  },
  {
    name: "allow-run",
    kind: "scope",
    value: "PROGRAM,…",
    group: "Tools and their scope",
    help: "programs that bash may start (default: all where the kernel confines them)",
  },
  {
    name: "allow-net",
    kind: "scope",
    value: "HOST,…",
    group: "Tools and their scope",
    help: "network of the tools (default: none; +HOST adds); bare: everything",
  },
  {
    name: "allow-env",
    kind: "scope",
    value: "NAME,…",
    group: "Tools and their scope",
    help: "environment variables that tools may see besides the usual ones",
  },
  {
    name: "deny-read",
    kind: "list",
    value: "PATH,…",
    group: "Tools and their scope",
    help: "never readable, whatever is allowed",
  },
  {
    name: "deny-write",
    kind: "list",
    value: "PATH,…",
    group: "Tools and their scope",
    help: "never writable, whatever is allowed",
  },
  {
    name: "read-only",
    kind: "boolean",
    group: "Tools and their scope",
    help: "tools may write nothing and start no program; bash is an interpreter then",
  },
  {
    name: "sandbox",
    kind: "string",
    value: "LEVEL",
    choices: ["auto", "kernel", "permissions", "off"],
    group: "Tools and their scope",
    setting: "sandbox",
    help: "what must confine the tools: auto (default), kernel, permissions, off",
  },
] as const satisfies readonly Flag[];
