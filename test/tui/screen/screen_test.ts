import { assertEquals } from "@std/assert";
import { createScreen } from "../../../src/tui/screen/screen.ts";

function screen(rows = 10, columns = 20) {
  let written: string[] = [];
  const made = createScreen({ write: (text) => void written.push(text), rows: () => rows, columns: () => columns });
  return {
    made,
    take() {
      const text = written.join("");
      written = [];
      // deno-lint-ignore no-control-regex -- what is around every frame
      return text.replace(/^\x1b\[\?2026h\x1b\[\?7l([\s\S]*)\x1b\[\?7h\x1b\[\?2026l$/, "$1");
    },
  };
}

const at = (row: number, column: number) => ({ row, column });

Deno.test("createScreen() writes only the lines that differ, and nothing when none does", () => {
  const { made, take } = screen();
  made.draw({ above: [], live: ["a", "b", "c"], cursor: at(1, 1) });
  take();
  made.draw({ above: [], live: ["a", "B", "c"], cursor: at(1, 1) });
  assertEquals(take(), "\r\x1b[2KB\x1b[2G");
  made.draw({ above: [], live: ["a", "B", "c"], cursor: at(1, 1) });
  assertEquals(take(), "");
  made.draw({ above: [], live: ["a", "B", "c"], cursor: at(0, 0) });
  assertEquals(take(), "\x1b[1A\x1b[1G");
});

Deno.test("createScreen() grows and shrinks at the bottom", () => {
  const { made, take } = screen();
  made.draw({ above: [], live: ["a", "b"], cursor: at(0, 0) });
  take();
  made.draw({ above: [], live: ["a", "b", "c"], cursor: at(0, 0) });
  assertEquals(take(), "\x1b[1B\r\n\x1b[2Kc\x1b[2A\x1b[1G");
  made.draw({ above: [], live: ["a"], cursor: at(0, 0) });
  assertEquals(take(), "\x1b[1B\r\x1b[J\x1b[1A\x1b[1G");
});

Deno.test("createScreen() writes finished lines once, above the live ones", () => {
  const { made, take } = screen();
  made.draw({ above: [], live: ["live"] });
  take();
  made.draw({ above: ["done"], live: ["live"] });
  assertEquals(take(), "\r\n\x1b[1A\x1b[1L\rdone\x1b[1B\x1b[1G");
  made.draw({ above: [], live: ["live"] });
  assertEquals(take(), "");
});

Deno.test("createScreen() lets no control through, whatever a line holds", () => {
  const { made, take } = screen();
  made.draw({ above: ["a\x1b]0;t\x07"], live: ["b\x1b[2J\x9bm\n\x1b[31mc"] });
  assertEquals(take(), "\r\x1b[2Ka]0;t\r\n\x1b[J\r\x1b[2Kb[2Jm\x1b[31mc\x1b[1G");
});

Deno.test("createScreen() keeps the bottom of a frame that is taller than the terminal", () => {
  const { made, take } = screen(2);
  made.draw({ above: [], live: ["a", "b", "c"] });
  assertEquals(take(), "\r\x1b[2Kb\r\n\x1b[J\r\x1b[2Kc\x1b[1G");
});
