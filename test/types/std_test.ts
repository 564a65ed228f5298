import { assert } from "@std/assert";

// types/std.d.ts is written by hand; this keeps it from naming what the mirror does not have.
const text = await Deno.readTextFile(new URL("../../types/std.d.ts", import.meta.url));
const modules = text.split(/declare module "/).slice(1);

for (const block of modules) {
  const name = block.slice(0, block.indexOf('"'));
  const names = [...block.matchAll(/export (?:(?:function|class|const) (\w+)|default\b)/g)].map((match) =>
    match[1] ?? "default"
  );
  Deno.test(`types/std.d.ts declares only what ${name} exports R496`, async () => {
    const module = await import(name);
    assert(names.length > 0);
    for (const exported of names) assert(exported in module, `${name} has no ${exported}`);
  });
}

for (const name of ["openai", "zod", "zod/mini", "eventsource-parser", "just-bash", "diff"]) {
  Deno.test(`the import map resolves ${name} R496`, async () => {
    assert(Object.keys(await import(name)).length > 0);
  });
}
