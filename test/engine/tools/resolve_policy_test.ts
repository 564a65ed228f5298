import { assertEquals } from "@std/assert";
import { configure } from "../../../src/config/config.ts";
import { policyOf } from "../../../src/engine/tools/resolve_policy.ts";
import { readWorld } from "../../../src/config/host_environment.ts";

Deno.test({
  name: "policyOf() carries what the level lacks here and what was told, whatever is granted on the way",
  // libc stays loaded for the life of the process.
  sanitizeResources: false,
  fn: () => {
    const top = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      const folder = (name: string): string => {
        Deno.mkdirSync(`${top}/${name}`);
        return `${top}/${name}`;
      };
      const [cwd, home] = [folder("work"), folder("home")];
      const folders = { tmp: folder("tmp"), cache: folder("cache") };
      const config = configure({ values: { cwd }, words: [] }, { ...readWorld(), cwd, home, env: { HOME: home } });
      const sandbox = { level: "kernel", weaknesses: ["signals get out"], notices: ["Signals get out."] } as const;
      const base = {
        sandbox: { ...sandbox, noHosts: () => undefined },
        folders,
        bundled: { problem: "none" },
        program: [],
      };
      for (const grants of [{}, { net: true }]) {
        const { sandbox: level, weaknesses, notices, net, holdsHosts } = policyOf(config, base, grants);
        assertEquals({ level, weaknesses, notices, holdsHosts }, { ...sandbox, holdsHosts: true });
        assertEquals(net.all, "net" in grants);
      }
    } finally {
      Deno.removeSync(top, { recursive: true });
    }
  },
});
