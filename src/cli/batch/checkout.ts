import { join } from "@std/path";
import type { TaskWorkspace } from "../../batch/task.ts";
import { sha256 } from "../../core/support/digest.ts";
import { UserError } from "../../core/error.ts";
import { entryAt, isFolder } from "../../core/support/on_disk.ts";

/** Settings of the person's that would run programs on the way, or ask: none has a say here but how to reach the server. */
const QUIET = ["-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false"];

/** Gives the folder of a workspace; repositories are cloned once for the whole batch, below `folder`. */
export class Checkouts {
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #made = new Map<string, Promise<string>>();

  readonly #path: string;

  /** `path`: PATH of git, which runs unconfined. */
  constructor(folder: string, signal: AbortSignal, path: string) {
    this.#folder = join(folder, "checkouts");
    this.#signal = signal;
    this.#path = path;
  }

  /** Throws UserError where a repository or its revision cannot be had. */
  async folderOf(workspace: TaskWorkspace): Promise<string> {
    if (workspace.kind === "folder") return workspace.path;
    const { repository, revision } = workspace;
    const name = sha256(JSON.stringify([repository, revision ?? null])).slice(0, 16);
    const place = join(this.#folder, name);
    const made = this.#made.get(name) ?? this.#make(place, repository, revision);
    this.#made.set(name, made);
    try {
      return await made;
    } catch (error) {
      this.#made.delete(name);
      throw error;
    }
  }

  async #make(place: string, repository: string, revision: string | undefined): Promise<string> {
    const old = entryAt(place);
    if (old?.isDirectory) return place;
    if (old !== undefined) throw cannot(repository, `${place} is in the way of its checkout`);
    Deno.mkdirSync(this.#folder, { recursive: true });
    const temporary = join(this.#folder, `.${crypto.randomUUID()}`);
    try {
      await this.#git(["clone", "--quiet", "--no-checkout", "--", repository, temporary], repository);
      const commit = await this.#commit(temporary, repository, revision);
      await this.#git(["-C", temporary, "checkout", "--quiet", "--detach", commit], repository);
      Deno.renameSync(temporary, place);
    } catch (error) {
      if (isFolder(temporary)) Deno.removeSync(temporary, { recursive: true }); // git may have done so
      if (isFolder(place)) return place; // another process was faster
      throw error;
    }
    return place;
  }

  /** The commit that a tag, a number or a branch of the other side names. */
  async #commit(folder: string, repository: string, revision = "HEAD"): Promise<string> {
    for (const name of [revision, `refs/remotes/origin/${revision}`]) {
      const asked = ["-C", folder, "rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
      const found = await this.#run(asked);
      if (found.success) return found.output.trim();
    }
    throw cannot(repository, `it has no revision ${revision}`);
  }

  async #git(args: readonly string[], repository: string): Promise<void> {
    const { success, output } = await this.#run(args);
    if (!success) throw cannot(repository, output.trim().split("\n").at(-1) ?? "git said nothing");
  }

  async #run(args: readonly string[]): Promise<{ readonly success: boolean; readonly output: string }> {
    try {
      const { success, stdout, stderr } = await new Deno.Command("git", {
        args: [...QUIET, ...args],
        env: { GIT_TERMINAL_PROMPT: "0", PATH: this.#path },
        stdin: "null",
        signal: this.#signal,
      }).output();
      return { success, output: new TextDecoder().decode(success ? stdout : stderr) };
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) throw cannot("a repository", "there is no git on this machine");
      throw error;
    }
  }
}

function cannot(repository: string, why: string): UserError {
  return new UserError({
    what: `Cannot check out ${repository}`,
    why,
    fix: "Look at the workspace of the task: git clone has to work for it",
  });
}
