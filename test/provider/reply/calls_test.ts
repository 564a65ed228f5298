import { assertEquals } from "@std/assert";
import { type CallPiece, createCallAssembly } from "../../../src/provider/reply/calls.ts";

const CASES: readonly {
  name: string;
  pieces: readonly CallPiece[];
  expect: readonly (readonly (string | undefined)[])[];
}[] = [
  {
    name: "a new index begins a call",
    pieces: [{ index: 1, id: "a", name: "x", args: "1" }, { index: 3, id: "b", name: "y", args: "2" }, {
      index: 1,
      args: "3",
    }],
    expect: [["a", "x", "13"], ["b", "y", "2"]],
  },
  {
    name: "a known index with another id and a name begins a call",
    pieces: [{ index: 0, id: "a", name: "x", args: "1" }, { index: 0, id: "b", name: "x", args: "2" }, {
      index: 0,
      args: "3",
    }],
    expect: [["a", "x", "1"], ["b", "x", "23"]],
  },
  {
    name: "a known index with another id and no name goes on",
    pieces: [{ index: 0, id: "a", name: "x", args: "1" }, { index: 0, id: "b", args: "2" }],
    expect: [["a", "x", "12"]],
  },
  {
    name: "a repeated name is no second call",
    pieces: [{ index: 0, id: "a", name: "x", args: "1" }, { index: 0, id: "a", name: "x", args: "2" }],
    expect: [["a", "x", "12"]],
  },
  {
    name: "without an index the id tells",
    pieces: [{ id: "a", name: "x", args: "1" }, { id: "b", name: "y", args: "2" }, { id: "a", args: "3" }],
    expect: [["a", "x", "13"], ["b", "y", "2"]],
  },
  {
    name: "without index and id a name begins a call",
    pieces: [{ name: "x", args: "1" }, { args: "2" }, { name: "x", args: "3" }],
    expect: [[undefined, "x", "12"], [undefined, "x", "3"]],
  },
  {
    name: "a name may come late",
    pieces: [{ id: "a", args: "1" }, { name: "x", args: "2" }],
    expect: [["a", "x", "12"]],
  },
];
for (const { name, pieces, expect } of CASES) {
  Deno.test(`createCallAssembly(): ${name}`, () => {
    const calls = createCallAssembly();
    for (const piece of pieces) calls.add(piece);
    assertEquals<unknown>(calls.slots.map((slot) => [slot.id, slot.name, slot.args]), expect);
  });
}
