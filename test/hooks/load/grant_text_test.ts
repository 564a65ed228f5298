import { assertEquals } from "@std/assert";
import { recordExtensionGrant } from "../../../src/engine/tools/grants.ts";
import { missingText } from "../../../src/hooks/load/grant_text.ts";

const HASH = "ab".repeat(32);
const WANTS = { read: ["docs", "~/notes"], net: ["example.com:443"], env: [] };

Deno.test("missingText() says what is missing", () => {
  const text = missingText(HASH, WANTS, ["read docs", "connect to example.com:443"]);
  assertEquals(
    text.split(". ")[0],
    "runs without what it asks for and was not granted: read docs, connect to example.com:443",
  );
});

Deno.test("missingText() gives the very setting that answering always writes", () => {
  const folder = Deno.makeTempDirSync();
  try {
    const [, setting = ""] = missingText(HASH, WANTS, ["read docs"]).split("settings.json: ");
    recordExtensionGrant(folder, HASH, WANTS);
    assertEquals(JSON.parse(setting), JSON.parse(Deno.readTextFileSync(`${folder}/settings.json`)));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
