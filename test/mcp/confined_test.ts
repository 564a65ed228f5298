import { assert, assertEquals, assertMatch } from "@std/assert";
import { until } from "../helpers/until.ts";
import type { World } from "../sandbox/confined_world.ts";
import { reachableDeno } from "../sandbox/reachable.ts";
import { CONFINED, exists, processesWith } from "../sandbox/shell_fixture.ts";
import { KEY, oldServer, said, withServers } from "./mcp_world.ts";

for (const level of CONFINED) {
  const test = (name: string, fn: () => Promise<void>): void => Deno.test(`openMcp() at ${level} ${name}`, fn);

  test("keeps a server's program within files, network and environment of the tools", () =>
    withServers(
      level,
      (world) => ({ old: { ...oldServer(world, "plain"), env: { OWN: "own" }, envFrom: ["PASSED"] } }),
      async ({ world, call, notices }) => {
        assertEquals(notices, []);
        const outside = await call("read", { text: `${world.outside}/secret` });
        assertEquals([outside.isError, said(outside).includes("outside-secret")], [true, false]);
        assertEquals((await call("write", { text: `${world.outside}/new` })).isError, true);
        assert(!exists(`${world.outside}/new`));
        assertEquals((await call("write", { text: `${world.root}/made` })).isError, undefined);
        const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
        assertMatch(said(await call("connect", { text: String(listener.addr.port) })), /^refused/);
        listener.close();
        const env = JSON.parse(said(await call("env")));
        assertEquals([env["OWN"], env["PASSED"], env["PWD"], env["MODEL_KEY"], env["HIDDEN"]], [
          "own",
          "passed on",
          world.root,
          undefined,
          undefined,
        ]);
        assert(!JSON.stringify(env).includes(KEY));
      },
      () => ({ run: true }),
      { PASSED: "passed on", HIDDEN: "not passed on" },
    ));

  test("says of a server in a folder that is not readable which option mends it, and that does", async () => {
    const files = (world: World): string => {
      Deno.mkdirSync(`${world.outside}/server/dist`, { recursive: true });
      Deno.writeTextFileSync(`${world.outside}/server/package.json`, "{}");
      Deno.copyFileSync(new URL("./servers/old.mjs", import.meta.url), `${world.outside}/server/dist/old.mjs`);
      return `${world.outside}/server/dist/old.mjs`;
    };
    const servers = (world: World) => ({
      there: {
        command: reachableDeno(),
        args: ["run", "-A", "--no-config", "--no-lock", files(world), "plain"],
        startMs: 60_000,
      },
    });
    await withServers(level, servers, ({ world, notices, mcp }) => {
      assertEquals(mcp.tools(), []);
      assertMatch(
        notices.join("\n"),
        /^MCP server "there": .*outside the read scope\. Only the user can allow it, with /,
      );
      assert(notices.join().includes(` with --allow-read=+${world.outside}/server;`), notices.join());
      return Promise.resolve();
    });
    const read = (world: World) => ({ run: true, read: [world.root, `${world.outside}/server`] });
    await withServers(level, servers, async ({ call, notices }) => {
      assertEquals([said(await call("say", { text: "mended" })), notices], ["mended", []]);
    }, read);
  });

  test("says of a server that wants to be downloaded that there is no network, and which option mends it", () => {
    const args = ["run", "-A", "--no-config", "--no-lock", "https://server.example/main.ts"];
    return withServers(level, () => ({ far: { command: reachableDeno(), args, startMs: 60_000 } }), ({ notices }) => {
      assertMatch(
        notices.join(),
        /^MCP server "far": it ended with code 1 .*: commands have no network.*with --allow-net(?:=\+[\w.:-]+)?; its/,
      );
      return Promise.resolve();
    });
  });

  test("puts protected paths back that a server changed, and says so", () =>
    withServers(level, (world) => ({ old: oldServer(world, "plain") }), async ({ world, call }) => {
      const result = await call("write", { text: `${world.root}/.envrc` });
      assert(!exists(`${world.root}/.envrc`));
      assertMatch(said(result), /\[sandbox: Removed \.envrc: protected|EACCES|EPERM|EROFS/);
    }));

  test("ends a server with all that it started", async () => {
    const mark = `sleeper-${crypto.randomUUID()}`;
    const script = `(setsid sh -c 'sleep 300; : ${mark}' &) ; sh -c 'sleep 300; : ${mark}' & cat >/dev/null; sleep 300`;
    await withServers(
      level,
      () => ({ shell: { command: "sh", args: ["-c", script], startMs: 1_500 } }),
      async (room) => {
        // It never introduced itself, so it is over already.
        assertEquals(room.mcp.states()[0]?.why, "it did not answer within 1.5 s");
        await until(() => processesWith(mark).length === 0);
      },
    );
    await withServers(
      level,
      () => ({ shell: { command: "sh", args: ["-c", script], startMs: 30_000 } }),
      async ({ mcp }) => {
        assertEquals(mcp.states()[0]?.state, "starting");
        await until(() => processesWith(mark).length >= 3);
      },
      undefined,
      undefined,
      false,
    );
    await until(() => processesWith(mark).length === 0);
  });

  test("starts a program of the list alone, and none that tools could replace", () =>
    withServers(level, (world) => {
      Deno.writeTextFileSync(`${world.root}/own`, "#!/bin/sh\n", { mode: 0o755 });
      const own = `${world.root}/own`;
      return {
        a: { command: "sh" },
        b: { command: own },
        c: { command: "./own" },
        d: { command: "cat", startMs: 300 },
      };
    }, ({ mcp, notices }) => {
      assertEquals(mcp.tools(), []);
      const told = notices.toSorted();
      assertMatch(
        told[0] ?? "",
        /^MCP server "a": sh is not in the run scope; only the user can allow it: --allow-run=\+sh/,
      );
      assertMatch(told[1] ?? "", /^MCP server "b": .*own cannot be run: .* where tools may write/);
      assertMatch(told[2] ?? "", /^MCP server "c": its command "\.\/own" must be/);
      // It runs, and gives back what it is told: no server.
      assertMatch(told[3] ?? "", /^MCP server "d": .*its tools are not there$/);
      return Promise.resolve();
    }, (world) => ({ run: ["cat", `${world.root}/own`] })));

  test("gives the model's key to no server, under whatever name, and shows it to nobody", () =>
    withServers(level, (world) => {
      const old = oldServer(world, "plain");
      return {
        a: { ...old, envFrom: ["MODEL_KEY"] },
        b: { ...old, env: { TOKEN: `Bearer ${KEY}` } },
        c: { ...old, args: [...old.args ?? [], KEY] },
        d: { ...old, envFrom: ["NOT_SET"] },
      };
    }, ({ mcp, notices }) => {
      assertEquals([mcp.tools(), notices.length], [[], 4]);
      for (
        const [at, why] of [/MODEL_KEY holds the model's key/, /TOKEN holds/, /arguments hold/, /NOT_SET is not set/]
          .entries()
      ) {
        assertMatch(notices.toSorted()[at] ?? "", why);
      }
      assert(!notices.join().includes(KEY));
      return Promise.resolve();
    }));
}
