import { assertEquals, assertThrows } from "@std/assert";
import { OWN_FILES } from "../../helpers/named_files.ts";
import { UserError } from "../../../src/core/error.ts";
import { assembleMessage, attachedImages } from "../../../src/cli/input/message.ts";

function inFolder(work: (folder: string) => void): void {
  const folder = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("assembleMessage() puts words, files and stdin in this order, a blank line between R500", () => {
  inFolder((cwd) => {
    Deno.writeTextFileSync(`${cwd}/a.txt`, "alpha\n");
    assertEquals(
      assembleMessage({ words: ["fix", "@a.txt", "this"], stdin: "log\n", cwd, home: cwd, files: OWN_FILES }),
      `fix this\n\n<file name="${cwd}/a.txt">\nalpha\n</file>\n\n<stdin>\nlog\n</stdin>`,
    );
  });
});

Deno.test("assembleMessage() takes stdin alone as it is R499", () => {
  assertEquals(assembleMessage({ words: [], stdin: " do it\n", cwd: "/", home: "/", files: OWN_FILES }), " do it\n");
});

Deno.test("assembleMessage() is empty for blank stdin and no words R501", () => {
  assertEquals(assembleMessage({ words: [], stdin: " \n", cwd: "/", home: "/", files: OWN_FILES }), "");
});

const BAD = [
  { name: "a missing file", file: "@gone.txt", why: "there is no file" },
  { name: "a folder", file: "@folder", why: "is a folder" },
  { name: "a binary file", file: "@binary", why: "is a binary file" },
  { name: "a device", file: "@/dev/zero", why: "is not a regular file" },
];

for (const { name, file, why } of BAD) {
  Deno.test(`assembleMessage() refuses ${name}`, () => {
    inFolder((cwd) => {
      Deno.mkdirSync(`${cwd}/folder`);
      Deno.writeFileSync(`${cwd}/binary`, new Uint8Array([1, 0, 2]));
      const error = assertThrows(
        () => assembleMessage({ words: ["x", file], cwd, home: cwd, files: OWN_FILES }),
        UserError,
      );
      assertEquals([error.why.includes(why), error.exitCode], [true, 2]);
    });
  });
}

Deno.test("attachedImages() takes pictures by what they are, and the text names them R433", () => {
  inFolder((cwd) => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
    Deno.writeFileSync(`${cwd}/shot.dat`, png);
    Deno.writeTextFileSync(`${cwd}/fake.png`, "text");
    const parts = { words: ["what is this?", "@shot.dat", "@fake.png"], cwd, home: cwd, files: OWN_FILES };
    assertEquals(attachedImages(parts), [{
      type: "image",
      data: btoa(String.fromCharCode(...png)),
      mimeType: "image/png",
    }]);
    const text = assembleMessage(parts);
    assertEquals(text.split("\n\n").slice(1), [
      `<file name="${cwd}/shot.dat">\n(a picture, attached)\n</file>`,
      `<file name="${cwd}/fake.png">\ntext\n</file>`,
    ]);
  });
});
