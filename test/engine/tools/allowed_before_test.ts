import { assertEquals, assertThrows } from "@std/assert";
import { allowedBefore } from "../../../src/config/policy_request.ts";
import { grantFolder } from "../../../src/engine/tools/grant_folder.ts";
import type { Settings } from "../../../src/config/settings/settings_table.ts";
import { UserError } from "../../../src/core/error.ts";
import type { SandboxLevel } from "../../../src/core/policy.ts";
import { whyNoHosts } from "../../../src/sandbox/policy/program_scopes.ts";

const root = "/home/ann/project";
const config = (permissions: unknown, at = root) => ({
  root,
  user: { projects: { [at]: { permissions } } } as Settings, // any shape: nothing of it is believed
});

const at = (level: SandboxLevel) => ({ level, noHosts: () => whyNoHosts(level) });

Deno.test("allowedBefore() gives what the user's settings allow for this workspace and no other", () => {
  const written = { read: ["/srv"], write: true, run: ["git"], net: ["a.test:443"], env: true, deny: { read: [] } };
  assertEquals(allowedBefore(config(written), at("kernel+")), {
    read: ["/srv"],
    write: true,
    run: ["git"],
    net: ["a.test:443"],
  });
  assertEquals(allowedBefore(config(written, "/home/ann"), at("kernel+")), {});
});

Deno.test("allowedBefore() leaves out lists that a sandbox level cannot hold, so that no start fails by them", () => {
  const written = { run: ["git"], net: ["a.test:443"] };
  assertEquals(allowedBefore(config(written), at("kernel")), { run: ["git"] });
  assertEquals(allowedBefore(config(written), { level: "kernel", noHosts: () => undefined }), written);
  assertEquals(allowedBefore(config(written), at("permissions")), {});
  assertEquals(allowedBefore(config({ net: true }), at("kernel")), { net: true });
});

Deno.test("allowedBefore() leaves out a path that has become a link since it was granted R465", () => {
  const top = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    Deno.mkdirSync(`${top}/data`);
    Deno.mkdirSync(`${top}/private`);
    const written = config({ read: [`${top}/data`, `${top}/gone`], write: [`${top}/data/`, `${top}/gone/`] });
    assertEquals(allowedBefore(written, at("kernel")), {
      read: [`${top}/data`, `${top}/gone`],
      write: [`${top}/data/`, `${top}/gone/`],
    });
    Deno.removeSync(`${top}/data`);
    Deno.symlinkSync(`${top}/private`, `${top}/data`);
    assertEquals(allowedBefore(written, at("kernel")), { read: [`${top}/gone`], write: [`${top}/gone/`] });
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

for (const wrong of [undefined, null, [], "all", { read: "everything" }, { read: [1, null] }, { read: ["~", "src"] }]) {
  Deno.test(`allowedBefore() takes nothing from ${JSON.stringify(wrong)}`, () => {
    assertEquals(allowedBefore(config(wrong), at("kernel")), {});
  });
}

Deno.test("grantFolder() is our own folder, never another program's", () => {
  const own = { auditFolder: "/home/ann/.sandpiper/agent/audit" };
  assertEquals(grantFolder(own), "/home/ann/.sandpiper/agent");
  assertEquals(grantFolder({ ...own, userFolder: "/home/ann/.sandpiper/agent" }), "/home/ann/.sandpiper/agent");
  assertThrows(() => grantFolder({ ...own, userFolder: "/home/ann/.pi/agent" }), UserError, "another program");
  assertThrows(() => grantFolder({}), UserError, "no folder");
});
