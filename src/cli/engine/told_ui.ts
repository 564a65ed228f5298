import type { HostUi } from "../../core/host_actions.ts";

/** What is told of a question: that it is asked, and that it is over. */
export type TellQuestion = (
  event: { readonly type: "ui_prompt_start" | "ui_prompt_end"; readonly kind: string; readonly title: string },
) => void;

/** Questions of extensions to the person, told to whoever listens. */
export function toldUi(ui: HostUi, tell: TellQuestion): HostUi {
  const told = async <T>(kind: string, title: string, ask: () => Promise<T>): Promise<T> => {
    tell({ type: "ui_prompt_start", kind, title });
    try {
      return await ask();
    } finally {
      tell({ type: "ui_prompt_end", kind, title });
    }
  };
  return {
    ...ui,
    select: (title, ...rest) => told("select", title, () => ui.select(title, ...rest)),
    confirm: (title, ...rest) => told("confirm", title, () => ui.confirm(title, ...rest)),
    input: (title, ...rest) => told("input", title, () => ui.input(title, ...rest)),
  };
}
