import { assertEquals, assertThrows } from "@std/assert";
import { asBody } from "../../scripts/build/bundle.ts";

type Exports = Record<string, unknown>;

/** Runs a body as the binary does. */
function run(code: string, require: (name: string) => unknown = () => ({})): Exports {
  const exports: Exports = {};
  new Function("require", "exports", "__meta", asBody(code, "a.js"))(require, exports, {
    url: "file:///x/main.js",
    dirname: "/x",
  });
  return exports;
}

Deno.test("asBody() keeps what a module imports, exports and knows of itself", () => {
  const asked: string[] = [];
  const require = (name: string): unknown => (asked.push(name), { __esModule: true, a: 1, default: 2 });
  const code = `import d,{a}from"./one.js";import*as all from"./two.js";let n=0;function add(){n+=a}` +
    `class C{}const u=import.meta.url,f=import.meta.dirname,s=[d,all.a];export{n,add,C as D,u,f,s};`;
  const made = run(code, require);
  assertEquals([asked, made["u"], made["f"], made["s"]], [["./one.js", "./two.js"], "file:///x/main.js", "/x", [2, 1]]);
  (made["add"] as () => void)(); // the function above
  assertEquals([made["n"], (made["D"] as { name: string }).name], [1, "C"]);
});

Deno.test("asBody() loads what is imported dynamically when that is reached, and a failure is a rejection", async () => {
  const asked: string[] = [];
  const require = (name: string): unknown => {
    asked.push(name);
    if (name === "./bad.js") throw new Error("broken");
    return { __esModule: true, a: 3 };
  };
  const { late, bad } = run(
    `const late=()=>import("./late.js").then(m=>m.a),bad=()=>import("./bad.js").catch(e=>e.message);export{late,bad};`,
    require,
  ) as Record<string, () => Promise<unknown>>; // the functions above
  assertEquals(asked, []);
  assertEquals([await late?.(), await bad?.(), asked], [3, "broken", ["./late.js", "./bad.js"]]);
});

Deno.test("asBody() writes characters beyond ASCII as escapes, and they mean the same", () => {
  const code = `const s="é→😀",t=\`ü\${1}\`,r=/[｜‖]+/.test("a‖b"),u=/^😀$/u.test("😀"),k={ü:1}.ü;export{s,t,r,u,k};`;
  // deno-lint-ignore no-control-regex -- all of ASCII
  assertEquals(/^[\x00-\x7f]*$/.test(asBody(code, "a.js")), true);
  assertEquals({ ...run(code) }, { s: "é→😀", t: "ü1", r: true, u: true, k: 1 });
});

Deno.test("asBody() refuses a module that waits at its top level or asks for more of import.meta", () => {
  for (const code of ["await 1;", "console.log(import.meta.main)"]) {
    assertThrows(() => asBody(code, "a.js"), Error, "a.js cannot be made into a function");
  }
});
