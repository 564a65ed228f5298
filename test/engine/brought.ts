import { defineExtension, type ExtensionApi } from "../../src/hooks/api/api.ts";
import type { SessionOptions } from "./world.ts";

/** Extensions for a session, named `ext1`, `ext2` and so on; what a factory gives back is of no interest. */
export function brought(
  ...factories: readonly ((sp: ExtensionApi) => unknown)[]
): Required<Pick<SessionOptions, "extensions">> {
  return {
    extensions: factories.map((factory, index) => ({
      name: `ext${index + 1}`,
      factory: defineExtension((sp) => void factory(sp)),
    })),
  };
}
