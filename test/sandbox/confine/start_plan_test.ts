import { assert, assertEquals } from "@std/assert";
import { thisProgram } from "../../../src/sandbox/confine/self.ts";
import { startPlan } from "../../../src/sandbox/confine/start_plan.ts";
import { until } from "../../helpers/until.ts";
import { makeWorld, worldPolicy } from "../confined_world.ts";
import { LEVELS } from "../shell_fixture.ts";

const self = thisProgram();

for (const level of LEVELS.filter((level) => level !== "off")) {
  Deno.test({
    name: `startPlan() at ${level} keeps a plan while the disk is as it was, and makes another when it is not`,
    ignore: Deno.build.os !== "linux",
    fn: async () => {
      using world = makeWorld();
      const secret = `${world.root}/secret`;
      Deno.mkdirSync(`${world.root}/beside`);
      const policy = worldPolicy(world, level, { flags: { deny: { read: [secret] } } });
      const text = (): string => {
        const { args, frame } = startPlan(policy, self);
        return args.join(" ") + new TextDecoder().decode(frame());
      };
      // What was changed a moment ago is never kept; other programs may change what lies around the folder meanwhile.
      let plan = startPlan(policy, self);
      await until(() => plan === (plan = startPlan(policy, self)));
      const before = text();
      assert(startPlan({ ...policy }, self) !== plan);
      // At kernel neighbours of what is denied are granted one by one, at kernel+ it is covered once it is there.
      Deno.mkdirSync(secret);
      Deno.mkdirSync(`${world.root}/new`);
      const after = text();
      assert(before !== after);
      assertEquals(after.includes(level === "kernel" ? `${world.root}/new` : secret), true);
    },
  });
}
