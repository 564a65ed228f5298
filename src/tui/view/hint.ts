/** A word above the editor that goes away by itself. */
export interface Hint {
  readonly text: () => string | undefined;
  readonly show: (text: string) => void;
}

/** How long a hint stays, milliseconds. */
const STAY_MS = 2000;

/** None yet; `changed` is called when one comes or goes. */
export function createHint(changed: () => void): Hint {
  let shown: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    text: () => shown,
    show(text) {
      shown = text;
      clearTimeout(timer);
      timer = setTimeout(() => {
        shown = undefined;
        changed();
      }, STAY_MS);
      changed();
    },
  };
}
