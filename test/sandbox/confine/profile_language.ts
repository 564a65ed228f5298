// The language of macOS's sandbox profiles, as far as Apple's own profiles in /System/Library/Sandbox/Profiles and
// /usr/share/sandbox use it: a checker that knows more than the profiles of this program need, and refuses all else.

/** A list, a word, a text (as `{ text }`), or a regular expression (as `{ regex }`). */
export type Form = string | readonly Form[] | { readonly text: string } | { readonly regex: string };

/** Operations, and those that an operation with an asterisk stands for. */
const OPERATIONS: ReadonlySet<string> = new Set(
  [
    "default appleevent-send authorization-right-obtain darwin-notification-post device-camera device-microphone",
    "distributed-notification-post dynamic-code-generation",
    "file* file-chroot file-clone file-ioctl file-issue-extension file-link file-map-executable file-mknod file-mount",
    "file-mount-update file-read* file-read-data file-read-metadata file-read-xattr file-revoke file-search",
    "file-test-existence file-unmount file-write* file-write-acl file-write-create file-write-data file-write-flags",
    "file-write-mode file-write-mount file-write-owner file-write-setugid file-write-times file-write-umount",
    "file-write-unlink file-write-unmount file-write-xattr",
    "generic-issue-extension hid-control iokit* iokit-get-properties iokit-issue-extension iokit-open iokit-set-properties",
    "ipc* ipc-posix* ipc-posix-issue-extension ipc-posix-sem ipc-posix-sem* ipc-posix-sem-create ipc-posix-sem-open",
    "ipc-posix-sem-post ipc-posix-sem-unlink ipc-posix-sem-wait ipc-posix-shm* ipc-posix-shm-read* ipc-posix-shm-read-data",
    "ipc-posix-shm-read-metadata ipc-posix-shm-write* ipc-posix-shm-write-create ipc-posix-shm-write-data",
    "ipc-posix-shm-write-unlink ipc-sysv* ipc-sysv-msg ipc-sysv-sem ipc-sysv-shm",
    "job-creation load-unsigned-code lsopen mach* mach-bootstrap mach-cross-domain-lookup mach-issue-extension mach-lookup",
    "mach-per-user-lookup mach-priv* mach-priv-host-port mach-priv-task-port mach-register mach-task-name",
    "network* network-bind network-inbound network-outbound nvram* nvram-delete nvram-get nvram-set",
    "process* process-codesigning* process-exec process-exec* process-exec-interpreter process-exec-update-label process-fork",
    "process-info* process-info-codesignature process-info-dirtycontrol process-info-listpids process-info-pidfdinfo",
    "process-info-pidinfo process-info-rusage process-info-setcontrol pseudo-tty signal sysctl* sysctl-read sysctl-write",
    "system* system-acct system-audit system-fsctl system-info system-mac-label system-privilege system-reboot system-sched",
    "system-set-time system-socket system-suspend-resume system-swap user-preference-read user-preference-write",
  ].join(" ").split(" "),
);

/** What an operation may be narrowed by, and the form of its arguments. */
const FILTERS: Readonly<Record<string, "text" | "regex" | "word" | "filters">> = {
  ...{ literal: "text", subpath: "text", "path-prefix": "text", prefix: "text", regex: "regex" },
  ...{
    "global-name": "text",
    "local-name": "text",
    "sysctl-name": "text",
    extension: "text",
    "ipc-posix-name": "text",
  },
  ...{ target: "word", "socket-domain": "word", "socket-type": "word", "vnode-type": "word" },
  ...{ "require-all": "filters", "require-any": "filters", "require-not": "filters" },
};

/** Words that these filters take. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  target: ["self", "same-sandbox", "others", "children", "pgrp"],
  "socket-domain": ["AF_UNIX", "AF_INET", "AF_INET6", "AF_SYSTEM", "AF_ROUTE"],
  "socket-type": ["SOCK_STREAM", "SOCK_DGRAM", "SOCK_RAW"],
  "vnode-type": ["REGULAR-FILE", "DIRECTORY", "SYMLINK", "CHARACTER-DEVICE", "BLOCK-DEVICE", "SOCKET", "FIFO", "TTY"],
};

/** Filters by the first part of an operation's name: a filter of another kind never matches. */
const KINDS: readonly (readonly [operation: RegExp, filters: readonly string[]])[] = [
  [/^file/, ["literal", "subpath", "path-prefix", "prefix", "regex", "extension", "vnode-type"]],
  [/^mach/, ["global-name", "local-name"]],
  [/^(?:signal|process-info)/, ["target"]],
  [/^system-socket/, ["socket-domain", "socket-type"]],
  [/^sysctl/, ["sysctl-name"]],
  [/^ipc-posix/, ["ipc-posix-name"]],
  [/^process-exec/, ["literal", "subpath", "regex"]],
];

/** A rule of a profile, in the order of the text. */
export interface ProfileRule {
  readonly action: "allow" | "deny";
  readonly operations: readonly string[];
  /** None: it holds for everything. */
  readonly filters: readonly (readonly Form[])[];
}

/** The rules of a profile. Throws for whatever the language does not have. */
export function readProfile(text: string): readonly ProfileRule[] {
  const [version, first, ...rest] = parse(text);
  if (JSON.stringify(version) !== '["version","1"]') throw new Error("a profile begins with (version 1)");
  if (JSON.stringify(first) !== '["deny","default"]') throw new Error("everything is denied first");
  return rest.map(ruleOf);
}

function ruleOf(form: Form): ProfileRule {
  if (!Array.isArray(form)) throw new Error(`not a rule: ${JSON.stringify(form)}`);
  const [action, ...parts] = form as readonly Form[];
  if (action !== "allow" && action !== "deny") throw new Error(`no action: ${JSON.stringify(action)}`);
  const operations = parts.filter((part) => typeof part === "string");
  const filters = parts.filter((part): part is readonly Form[] => Array.isArray(part));
  if (operations.length + filters.length !== parts.length || operations.length === 0) {
    throw new Error(`no operations and filters: ${JSON.stringify(form)}`);
  }
  for (const operation of operations) {
    if (!OPERATIONS.has(operation) || operation === "default") throw new Error(`no operation "${operation}"`);
    for (const filter of filters) checkFilter(filter, operation);
  }
  return { action, operations, filters };
}

function checkFilter([name, ...args]: readonly Form[], operation: string): void {
  const form = typeof name === "string" && Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (typeof name !== "string" || form === undefined) throw new Error(`no filter ${JSON.stringify(name)}`);
  if (form === "filters") {
    if (args.length === 0 || (name === "require-not" && args.length !== 1)) throw new Error(`${name} is empty`);
    for (const inner of args) {
      if (!Array.isArray(inner)) throw new Error(`${name} takes filters`);
      checkFilter(inner as readonly Form[], operation);
    }
    return;
  }
  const kind = KINDS.find(([pattern]) => pattern.test(operation));
  if (!kind?.[1].includes(name)) throw new Error(`${operation} is not narrowed by ${name}`);
  const [argument, ...more] = args;
  if (argument === undefined || more.length > 0) throw new Error(`${name} takes one argument`);
  if (form === "word") {
    if (typeof argument !== "string" || !WORDS[name]?.includes(argument)) {
      throw new Error(`${name}: ${JSON.stringify(argument)}`);
    }
    return;
  }
  if (typeof argument !== "object" || !(form in argument)) throw new Error(`${name} takes a ${form}`);
  const isPath = ["literal", "subpath"].includes(name);
  if (isPath && "text" in argument && !/^\/(?:[^/]|$)/.test(argument.text)) {
    throw new Error(`not absolute: ${argument.text}`);
  }
  // A path with a slash at its end, or one that is not normal, matches nothing.
  if (isPath && "text" in argument && argument.text !== "/" && /\/$|\/\/|\/\.\.?(?:\/|$)/.test(argument.text)) {
    throw new Error(`not normal: ${argument.text}`);
  }
}

/** All forms of a text. Throws where it is no text of the language. */
export function parse(text: string): readonly Form[] {
  const token = /\s+|;[^\n]*|([()])|#"((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)*)"|([a-zA-Z0-9_*+?!.:-]+)/sy;
  const stack: Form[][] = [[]];
  let at = 0;
  while (at < text.length) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (!match) throw new Error(`nothing of the language: ${JSON.stringify(text.slice(at, at + 40))}`);
    at = token.lastIndex;
    const [, paren, regex, string, word] = match;
    if (paren === "(") stack.push([]);
    else if (paren === ")") {
      const done = stack.pop() ?? [];
      const above = stack.at(-1);
      if (!above) throw new Error("a parenthesis too many");
      above.push(done);
    } else if (regex !== undefined) {
      new RegExp(regex);
      stack.at(-1)?.push({ regex });
    } else if (string !== undefined) stack.at(-1)?.push({ text: unescaped(string) });
    else if (word !== undefined) stack.at(-1)?.push(word);
  }
  if (stack.length !== 1) throw new Error("a parenthesis is open");
  return stack[0] ?? [];
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\\": "\\", '"': '"' };

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, char: string) => {
    const meant = ESCAPES[char];
    if (meant === undefined) throw new Error(`no escape \\${char}`);
    return meant;
  });
}

/** Whether a profile allows an operation on a path: of the rules that match, the last one. Regular expressions never match. */
export function allows(rules: readonly ProfileRule[], operation: string, path: string): boolean {
  const covers = (named: string): boolean =>
    named === operation || (named.endsWith("*") && operation.startsWith(named.slice(0, -1)));
  const matches = ([name, argument]: readonly Form[]): boolean => {
    if (typeof argument !== "object" || !("text" in argument)) return false;
    const { text } = argument;
    return name === "literal"
      ? text === path
      : name === "subpath" && (text === "/" || path === text || path.startsWith(`${text}/`));
  };
  const last = rules.findLast(({ operations, filters }) =>
    operations.some(covers) && (filters.length === 0 || filters.some(matches))
  );
  return last?.action === "allow";
}
