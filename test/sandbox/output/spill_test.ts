import { assert, assertEquals, assertMatch } from "@std/assert";
import { openSpill } from "../../../src/sandbox/output/spill.ts";
import { inFolder } from "../folder.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

Deno.test("openSpill() keeps an output in a file that only its owner may read, under a name nobody can guess", () =>
  inFolder((folder) => {
    const [one, two] = [openSpill(folder, 100), openSpill(folder, 100)];
    one.write(bytes("ab"));
    one.write(bytes(""));
    one.write(bytes("cd"));
    one.close();
    one.write(bytes("late"));
    two.close();
    assertMatch(one.path ?? "", /\/bash-[0-9a-f]{16}\.log$/);
    assert(one.path !== two.path);
    assertEquals(Deno.readTextFileSync(one.path ?? ""), "abcd");
    assertEquals((Deno.statSync(one.path ?? "").mode ?? 0) & 0o777, 0o600);
    assertEquals(one.complaint(), undefined);
  }));

Deno.test("openSpill() stops at its limit and says so", () =>
  inFolder((folder) => {
    const spill = openSpill(folder, 5);
    spill.write(bytes("abc"));
    spill.write(bytes("defg"));
    spill.write(bytes("h"));
    assertEquals(Deno.readTextFileSync(spill.path ?? ""), "abcde");
    assertMatch(spill.complaint() ?? "", /holds only the first 5 ?B/);
    spill.close();
  }));

Deno.test("openSpill() does without a file where none can be made or written", () =>
  inFolder((folder) => {
    const none = openSpill(`${folder}/missing`, 10);
    none.write(bytes("x"));
    assertEquals(none.path, undefined);
    assertMatch(none.complaint() ?? "", /could not be stored/);
    none.close();
  }));
