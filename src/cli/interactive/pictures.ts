import { resolve } from "@std/path";
import type { ImageContent } from "../../core/message.ts";
import type { NamedFiles } from "../../core/named_files.ts";
import type { Policy } from "../../core/policy.ts";
import { hostProgram } from "../../config/program_path.ts";
import { imageIn } from "../input/message.ts";

/** Largest picture that is sent, bytes before base64: what the read tool takes, too. */
const READ_BYTES = 3_538_944;

/** A picture that the person named, by its content; undefined for what is none. `~` is the home folder. */
export function readPicture(
  files: NamedFiles,
  path: string,
  cwd: string,
  home: string,
): ImageContent | undefined {
  const full = path.startsWith("~/") ? home + path.slice(1) : resolve(cwd, path.replace(/^file:\/\//, ""));
  const file = files.find(full, { access: "read", typed: true });
  const status = files.status(file);
  return status?.isFile && status.size <= READ_BYTES ? imageIn(files.read(file, READ_BYTES)) : undefined;
}

/** A program of the desktop that prints the picture in its clipboard, and the variable without which it cannot. */
const PROGRAMS: readonly { readonly needs: string; readonly command: readonly [string, ...string[]] }[] = [
  { needs: "WAYLAND_DISPLAY", command: ["wl-paste", "--no-newline", "--type", "image/png"] },
  { needs: "DISPLAY", command: ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"] },
];

/** How long such a program may take, milliseconds: one whose desktop does not answer waits for ever. */
const LIMIT_MS = 3000;
/** Bytes: more is no picture that could be sent. */
const MOST = 16 * 1024 * 1024;

/**
 * The bytes of the picture in the desktop's clipboard; undefined where there is none, or no program that could tell. It runs
 * unconfined, so one that tools of the policy could have written is passed over (`node_modules/.bin` in a PATH).
 */
export async function clipboardPicture(
  env: Readonly<Record<string, string>>,
  { write }: Pick<Policy, "write">,
): Promise<Uint8Array | undefined> {
  for (const { needs, command: [name, ...args] } of PROGRAMS) {
    const file = env[needs] ? hostProgram(name, env["PATH"] ?? "", write) : undefined;
    const bytes = file && "path" in file ? await outputOf([file.path, ...args]) : undefined;
    if (bytes && bytes.length > 0) return bytes;
  }
  return undefined;
}

async function outputOf([program, ...args]: readonly [string, ...string[]]): Promise<Uint8Array | undefined> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const command = new Deno.Command(program, { args, stdin: "null", stdout: "piped", stderr: "null", signal });
    await using child = command.spawn();
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of child.stdout) {
      parts.push(part);
      size += part.length;
      if (size > MOST) return undefined;
    }
    const { success } = await child.status;
    return success ? new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer()) : undefined;
  } catch {
    return undefined; // it is not installed, or may not be run
  }
}
