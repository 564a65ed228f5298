import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { donePage } from "../../../src/cli/commands/mcp_login.ts";
import { compareVersions, newestVersion, updateText } from "../../../src/cli/commands/update.ts";
import { nameProgram } from "../../../src/core/version.ts";
import { stripControls } from "../../../src/core/support/text.ts";
import { UserError } from "../../../src/core/error.ts";
import { inWorkspace, run, SOURCE } from "../../helpers/program.ts";

/** A server of this machine that answers by path, and keeps what it was asked. */
function serve(
  answers: Readonly<Record<string, () => Response | Promise<Response>>>,
): AsyncDisposable & { readonly url: string; readonly asked: Request[] } {
  const asked: Request[] = [];
  const stopped = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: stopped.signal },
    async (request) => {
      asked.push(request);
      return await answers[new URL(request.url).pathname]?.() ?? new Response("", { status: 404 });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked,
    [Symbol.asyncDispose]: () => (stopped.abort(), server.finished),
  };
}

const to = (place: string): Response => new Response(null, { status: 302, headers: { location: place } });

Deno.test("newestVersion() takes a version out of an answer, behind redirects too", async () => {
  await using server = serve({
    "/latest.json": () => Response.json({ version: "1.2.3", url: "x" }),
    "/api": () => Response.json({ tag_name: "v2.0.0-rc.1" }),
    "/moved": () => to("/latest.json"),
  });
  const found = await Promise.all(
    ["latest.json", "api", "moved"].map((path) => newestVersion(`${server.url}/${path}`)),
  );
  assertEquals(found, ["1.2.3", "2.0.0-rc.1", "1.2.3"]);
  assertEquals(server.asked.map(({ method }) => method), ["GET", "GET", "GET", "GET"]);
});

Deno.test("newestVersion() says why an address gives none, in bounded time and memory", async () => {
  await using server = serve({
    "/text": () => new Response("<html>\x1b]0;title\x07</html>"),
    "/none": () => Response.json({ name: "sandpiper" }),
    "/odd": () => Response.json({ version: "1.2.3; rm -rf \x1b[2J" }),
    "/large": () => new Response(" ".repeat(100_000)),
    "/circle": () => to("/circle"),
    "/elsewhere": () => to("http://192.0.2.1/latest.json"),
    "/file": () => to("file:///etc/passwd"),
    "/slow": () => new Promise(() => {}),
  });
  const CASES: readonly (readonly [address: string, why: string])[] = [
    [`${server.url}/text`, "the answer is no JSON"],
    [`${server.url}/none`, 'no "version" such as 1.2.3'],
    [`${server.url}/odd`, 'no "version" such as 1.2.3'],
    [`${server.url}/large`, "more than 64 KB"],
    [`${server.url}/circle`, "leads on more than 5 times"],
    [`${server.url}/elsewhere`, "http://192.0.2.1 is not asked: it must be https"],
    [`${server.url}/file`, "must be https"],
    [`${server.url}/missing`, "status 404"],
    ["http://example.org/latest.json", "http://example.org is not asked: it must be https"],
    ["https://user:secret@example.org/", "with a password is not asked"],
    ["latest.json", "it is no address"],
    [`${server.url}/slow`, "no answer in 0.2 seconds"],
  ];
  for (const [address, why] of CASES) {
    const error = await assertRejects(
      () => newestVersion(address, address.endsWith("/slow") ? 200 : 20_000),
      UserError,
    );
    assertStringIncludes(error.why, why, address);
    assertEquals(stripControls(error.why), error.why, address);
  }
});

Deno.test("compareVersions() orders versions by their numbers, early ones first", () => {
  const ordered = ["0.1.0", "0.2.0-alpha.2", "0.2.0-alpha.10", "0.2.0-beta", "0.2.0", "0.10.0", "1.0.0"];
  for (const [i, first] of ordered.entries()) {
    for (const [j, second] of ordered.entries()) {
      assertEquals(Math.sign(compareVersions(first, second)), Math.sign(i - j), `${first} ${second}`);
    }
  }
});

Deno.test("sandpiper update asks the address of the settings once and changes nothing; without one it asks nobody", async () => {
  await using server = serve({ "/latest.json": () => Response.json({ version: "99.0.0" }) });
  await inWorkspace(
    { ".sandpiper/settings.json": JSON.stringify({ updateUrl: `${server.url}/project` }) },
    async ({ ws, home }) => {
      const update = (...args: readonly string[]) =>
        run(SOURCE, ["update", ...args], { cwd: ws, env: { HOME: home, SANDPIPER_HOME: `${home}/own` } });
      const [alone, misused] = await Promise.all([update("--trust"), update("--json", "the", "docs")]);
      assertEquals(alone.code, 0, alone.stderr);
      assertStringIncludes(alone.stdout, "no release address is configured.\nSet updateUrl in ");
      assertEquals(/OWNER|npm install/.test(alone.stdout), false, alone.stdout);
      assertEquals([misused.code, server.asked.length], [2, 0]);
      assertStringIncludes(misused.stderr, "sandpiper -- update the docs");

      Deno.mkdirSync(`${home}/own`);
      Deno.writeTextFileSync(`${home}/own/settings.json`, JSON.stringify({ updateUrl: `${server.url}/latest.json` }));
      const [said, json] = await Promise.all([update(), update("--json")]);
      assertEquals(said.code, 0, said.stderr);
      assertStringIncludes(said.stdout, `There is a newer one: 99.0.0, says ${server.url}/latest.json\n`);
      const { newest, installedBy, managed } = JSON.parse(json.stdout);
      assertEquals([newest, installedBy, managed], ["99.0.0", "source", false]);
      assertEquals(server.asked.map(({ url }) => new URL(url).pathname), ["/latest.json", "/latest.json"]);
    },
  );
});

Deno.test("update and the page of a login say the name of the program that runs", async () => {
  nameProgram("acme");
  try {
    const said = updateText({ by: "hand", path: "/x/acme", isManaged: false, update: "x" }, undefined, undefined, "/u");
    assertEquals(said.split("\n")[0], "acme (sandpiper 0.1.0), installed by hand, as far as can be seen");
    const page = await donePage().text();
    assertEquals([page.includes("sandpiper"), /<title>acme<.*acme has the answer/.test(page)], [false, true], page);
  } finally {
    nameProgram("sandpiper");
  }
});
