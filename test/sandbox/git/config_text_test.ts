import { assertEquals } from "@std/assert";
import { hashBytesIn, readConfigText } from "../../../src/sandbox/git/config_text.ts";
import { inFolder } from "../folder.ts";

const PIECES = [
  ...'[a] [a.b] [A] [s "q\\"x\\\\y z] "] k key-1 K = \\ \\n \\q " # ; \t \r \r\n v w \uFEFF é -'.split(" "),
  "\n",
  "\n",
  "\n[extensions]\n",
  "\nkey = ",
  '"a # b"',
  "\\\n",
  " ",
  "objectFormat",
];

Deno.test("readConfigText() reads what git reads, and no further", () =>
  inFolder((root) => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
    const fixed = [
      "",
      "[a]k",
      "[a]\nk=v",
      "k=v",
      "[a] k = 'x' # y",
      '[ "x"]\nk=1',
      "[a]k=1[b]\nc=2",
      "[]\nk=1",
      "[a]k=\\",
      "[a]k=x\\",
    ];
    const random_ = Array.from({ length: 400 }, () =>
      `[a]\nk = ${Array.from({ length: 1 + random(7) }, () => PIECES[random(PIECES.length)]).join("")}\n[z]\nk=1`);
    for (const text of [...fixed, ...random_]) {
      Deno.writeTextFileSync(`${root}/config`, text);
      const { success, stdout } = new Deno.Command("git", {
        args: ["config", "--file", `${root}/config`, "--no-includes", "--list", "-z"],
        stderr: "null",
      }).outputSync();
      const { settings, isWhole } = readConfigText(text);
      assertEquals([text, isWhole], [text, success]);
      if (!success) {
        continue;
      }
      const read = settings.map(([name, value]) =>
        `${name}${value === undefined ? "" : `\n${value}`}\0`
      ).join("");
      // Versions of git disagree about what a tab within a value becomes.
      const even = (listed: string): string => listed.replaceAll(/[\t\r]/g, " ");
      assertEquals([text, even(read)], [text, even(new TextDecoder("utf-8", { ignoreBOM: true }).decode(stdout))]);
    }
  }));

Deno.test("hashBytesIn() is certain or says that it is not", () => {
  const v1 = "[core]\n\trepositoryformatversion = 1\n";
  const cases: readonly (readonly [string, 20 | 32 | undefined])[] = [
    ["", 20],
    ["[core", 20],
    [`${v1}[extensions]\n\tobjectformat = sha256\n`, 32],
    [`${v1}[Extensions] ObjectFormat="sha256" ; x\n`, 32],
    [`${v1}[extensions]\n\tobjectformat = sha1\n`, 20],
    ["# objectformat = sha256\n", 20],
    ["[alias]\n\tx = objectformat = sha256\n", 20],
    ["[alias]\n\tx = a \\\nobjectformat = sha256\n[extensions]\n", 20],
    [`${v1}[extensions "x"]\n\tobjectformat = sha256\n`, 20],
    ["[extensions]\n\tobjectformat = sha256\n", undefined],
    [`${v1}[core]\nrepositoryformatversion = "0\\\n"\n[extensions]\n\tobjectformat = sha256\n`, undefined],
    [`${v1}[extensions]\n\tobjectformat = sha256\n\tobjectformat = sha1\n`, undefined],
    [`${v1}[extensions]\n\tobjectformat = sha256\n[`, undefined],
    [`${v1}[extensions]\n\tobjectformat\n`, undefined],
  ];
  for (const [text, expected] of cases) assertEquals([text, hashBytesIn(text)], [text, expected]);
});
