import { ToolError } from "../../core/error.ts";
import type { OpenShell } from "../../sandbox/shell/shell.ts";

/** Commands that go on after their call, as the bash tool reaches them. */
export type Commands = OpenShell["background"];

/**
 * One numbering for the background commands of a session: each shell of it counts for itself, and a grant makes another.
 *
 * A command stays with the shell, and so with the policy, that started it.
 */
export function backgroundIds(): (own: Commands) => Commands {
  const started = new Map<string, { readonly own: Commands; readonly id: string }>();
  const list = (): ReturnType<Commands["list"]> =>
    [...started].flatMap(([id, at]) =>
      at.own.list().filter((command) => command.id === at.id).map((command) => ({ ...command, id }))
    );
  return (own) => ({
    async start(command) {
      const begun = await own.start(command);
      const id = `b${started.size + 1}`;
      started.set(id, { own, id: begun.id });
      return { ...begun, id };
    },
    async stop(id) {
      const at = started.get(id);
      if (at) return { ...await at.own.stop(at.id), id };
      const running = list().filter(({ exitCode }) => exitCode === undefined).map((command) => command.id);
      throw new ToolError(`No background command ${id}. Running: ${running.join(", ") || "none"}.`);
    },
    list,
  });
}
