import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { splitArguments, substituteArguments } from "../../../src/context/templates/arguments.ts";

const SPLITS: readonly (readonly [name: string, text: string, args: readonly string[]])[] = [
  ["nothing", " \t\n", []],
  ["words", "a  b\tc\nd\u00a0e", ["a", "b", "c", "d", "e"]],
  ["double quotes R155", 'a "b c" d', ["a", "b c", "d"]],
  ["single quotes R156", "a 'b c' d", ["a", "b c", "d"]],
  ["a line break in quotes", '"a\nb" c', ["a\nb", "c"]],
  ["the other quote inside", `'a "b' c"`, ['a "b', 'c"']],
  ["an empty argument", `"" '' x`, ["", "", "x"]],
  ["apostrophes", `it's 'quoted one' isn't`, ["it's", "quoted one", "isn't"]],
  ["a quote inside a word", `a"b c"d`, [`a"b`, `c"d`]],
  ["a quote without its partner", `"open x`, ['"open', "x"]],
  ["a partner only for the first", `"a" "b`, ["a", '"b']],
  ["an escaped quote", String.raw`"a \" b" 'a\'b'`, ['a " b', "a'b"]],
  ["an escape that leaves no partner", String.raw`"a\\" b`, [String.raw`"a\\"`, "b"]],
  ["other backslashes", String.raw`\n "a\n" \"a b\"`, [
    String.raw`\n`,
    String.raw`a\n`,
    String.raw`\"a`,
    String.raw`b\"`,
  ]],
  ["text right behind the quotes", `"a b"c "a"'b'`, ["a bc", "a'b'"]],
];
for (const [name, text, args] of SPLITS) {
  Deno.test(`splitArguments() takes ${name}`, () => assertEquals(splitArguments(text), args));
}

const ABC = ["a", "b", "c"];
const SUBSTITUTIONS: readonly (readonly [name: string, template: string, args: readonly string[], text: string])[] = [
  ["one argument R151", "$1-$2-$1x", ABC, "a-b-ax"],
  ["all arguments R152", "$@|$ARGUMENTS", ABC, "a b c|a b c"],
  ["the rest R153", "${@:2}|${@:0}|${@:4}", ABC, "b c|a b c|"],
  ["a slice R154", "${@:2:3}|${@:2:1}|${@:1:0}", [...ABC, "d", "e"], "b c d|b|"],
  ["a missing one R158", "[$4]", ABC, "[]"],
  ["the tenth R159", "$10", "1 2 3 4 5 6 7 8 9 ten".split(" "), "ten"],
  ["values that look like places R160", "$1 $2 $3", ["$2", "$@", "${@:1}"], "$2 $@ ${@:1}"],
  ["values that look like replacement patterns R160", "$1 $@", ["$&$`$'$$"], "$&$`$'$$ $&$`$'$$"],
  ["a default", "${1:-x}|${2:-y z}|${3:-}|${4:-d}", ["a", ""], "a|y z||d"],
  ["a default for all", "${@:-none}|${ARGUMENTS:-none}", [], "none|none"],
  ["a default that looks like a place", "${1:-$2}", ["", "b"], "$2"],
  ["no such places", "${1} ${@} ${ARGUMENTS} $ $x ${@:1:} US$", ABC, "${1} ${@} ${ARGUMENTS} $ $x ${@:1:} US$"],
];
for (const [name, template, args, text] of SUBSTITUTIONS) {
  Deno.test(`substituteArguments() puts in ${name}`, () => assertEquals(substituteArguments(template, args), text));
}

const anyArgs = fc.array(fc.string({ unit: "binary" }), { maxLength: 12 });

Deno.test("substituteArguments() inserts every value literally and once, whatever it holds R160", () => {
  const nasty = fc.oneof(fc.string(), fc.constantFrom("$1", "$@", "${@:1}", "$&", "$$", "${1:-x}", "}"));
  fc.assert(fc.property(fc.array(nasty, { minLength: 1, maxLength: 12 }), (args) => {
    const template = args.map((_, i) => `<$${i + 1}>`).join("|") + "|${@:1}|$@";
    assertEquals(
      substituteArguments(template, args),
      [...args.map((value) => `<${value}>`), args.join(" "), args.join(" ")].join("|"),
    );
  }));
});

Deno.test("substituteArguments() leaves a text without places as it is, and is the same every time R164", () => {
  fc.assert(fc.property(fc.string().filter((text) => !text.includes("$")), anyArgs, (text, args) => {
    assertEquals(substituteArguments(text, args), text);
  }));
  fc.assert(fc.property(fc.string(), anyArgs, (text, args) => {
    assertEquals(substituteArguments(text, args), substituteArguments(text, args));
  }));
});

Deno.test("splitArguments() gives back what was quoted", () => {
  fc.assert(fc.property(anyArgs, fc.constantFrom('"', "'"), (args, quote) => {
    // A backslash before the closing quote cannot be written: it would take the quote's meaning.
    const writable = args.filter((value) => !/\\(?:$|["'])/.test(value));
    const text = writable.map((value) => quote + value.replaceAll(quote, `\\${quote}`) + quote).join(" ");
    assertEquals(splitArguments(text), writable);
  }));
});

Deno.test("splitArguments() loses no character but white space, quotes and backslashes", () => {
  const essence = (text: string): string => text.replace(/[\s"'\\]/g, "");
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom("a", " ", '"', "'", "\\", "\n", "é") }), (text) => {
    assertEquals(essence(splitArguments(text).join("")), essence(text));
  }));
});
