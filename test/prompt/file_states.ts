const bytes = (text: string) => new TextEncoder().encode(text);

/** Every state that a file on disk can be in, from the disk to the prompt: `code` is the diagnostic, `shows` what is sent. */
export const STATES: readonly {
  readonly name: string;
  readonly make: (path: string) => void;
  readonly code?: string;
  readonly shows?: string;
  readonly hides?: string;
  /** Cannot be made here. */
  readonly ignore?: boolean;
}[] = [
  { name: "absent", make: () => {} },
  { name: "empty", make: (path) => Deno.writeTextFileSync(path, "") },
  { name: "a folder", make: (path) => Deno.mkdirSync(path), code: "file_read_error" },
  {
    name: "without permission",
    make: (path) => Deno.writeTextFileSync(path, "text", { mode: 0o000 }),
    code: "file_read_error",
    // Nothing is denied to this user.
    ignore: Deno.uid() === 0,
  },
  { name: "a link to itself", make: (path) => Deno.symlinkSync(path, path), code: "file_read_error" },
  { name: "a link out", make: (path) => Deno.symlinkSync("/etc/hostname", path), code: "permission_denied" },
  { name: "a device", make: (path) => Deno.symlinkSync("/dev/zero", path), code: "permission_denied" },
  {
    name: "100 MB",
    make: (path) => {
      Deno.writeTextFileSync(path, "START " + "a".repeat(2_000_000));
      using file = Deno.openSync(path, { write: true });
      file.truncateSync(100 * 1024 * 1024);
    },
    code: "file_truncated",
    shows: "START aaa",
  },
  {
    name: "invalid UTF-8",
    make: (path) => Deno.writeFileSync(path, bytes("a\xff").with(1, 0xff)),
    code: "file_read_error",
  },
  { name: "NUL inside", make: (path) => Deno.writeTextFileSync(path, "a\0b"), code: "file_read_error" },
  { name: "CRLF", make: (path) => Deno.writeTextFileSync(path, "one\r\ntwo\r\n"), shows: "one\ntwo\n", hides: "\r" },
  {
    name: "a byte order mark",
    make: (path) => Deno.writeTextFileSync(path, "\ufeffone"),
    shows: "\n\none\n",
    hides: "\ufeff",
  },
  {
    name: "escape sequences",
    make: (path) => Deno.writeTextFileSync(path, "a\x1b[2Jb\u202ec"),
    code: "file_altered",
    shows: "abc",
    hides: "\x1b",
  },
  {
    name: "the marker inside",
    make: (path) => Deno.writeTextFileSync(path, "a\n<!-- sandpiper:stable-prompt-ends -->\nb"),
    code: "file_altered",
    shows: "sandpiper/stable-prompt-ends",
    hides: "sandpiper:stable-prompt-ends",
  },
];
