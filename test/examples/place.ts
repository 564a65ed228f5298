import { fromFileUrl } from "@std/path";

/** Absolute path of an example extension. */
export function example(name: string): string {
  return fromFileUrl(new URL(`../../docs/examples/extensions/${name}`, import.meta.url));
}
