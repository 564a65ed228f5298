import type { TuiOptions } from "./options.ts";
export function runPlain(_options: TuiOptions): Promise<number> {
  return Promise.resolve(0);
}
