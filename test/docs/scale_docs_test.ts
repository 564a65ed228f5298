// The manifest and the workflow of docs/scale.md, as they stand there, by the schemas that their systems publish.
import { assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { validate } from "kubernetes-models/_schemas/IoK8sApiBatchV1Job";
import { blocksOf } from "../../scripts/docs/blocks.ts";
import { isObject } from "../../src/core/json.ts";
import { violations } from "../ci/metadata.ts";

const page = Deno.readTextFileSync(new URL("../../docs/scale.md", import.meta.url));

function yaml(part: string): string {
  const block = blocksOf("docs/scale.md", page).find(({ language, text }) =>
    language === "yaml" && text.includes(part)
  );
  return block?.text ?? "";
}

/** Values whose every reading is kept: the schema reads the fields that it knows. */
function watched(value: unknown, path: string, seen: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const parts = new Map<string, unknown>();
  return new Proxy(value, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof name === "symbol" || !Object.hasOwn(target, name)) return found;
      seen.add(`${path}.${name}`);
      if (!parts.has(name)) parts.set(name, watched(found, `${path}.${name}`, seen));
      return parts.get(name);
    },
  });
}

function pathsIn(value: unknown, path = ""): string[] {
  const entries = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  return [...entries].flatMap(([name, one]) => [`${path}.${name}`, ...pathsIn(one, `${path}.${name}`)]);
}

/** What the schema of Kubernetes says against a manifest of a job: wrong values, and fields that it does not know. */
function wrongIn(manifest: string): string[] {
  const value = parse(manifest);
  const seen = new Set<string>();
  if (!validate(watched(value, "", seen))) {
    const { errors } = validate as typeof validate & { readonly errors?: readonly unknown[] }; // as ajv leaves them
    return errors?.map((error) => JSON.stringify(error)) ?? ["not valid"];
  }
  return pathsIn(value).filter((path) => !seen.has(path));
}

Deno.test("docs/scale.md: Kubernetes' schema takes the manifest, and GitHub's the workflow", () => {
  const manifest = yaml("kind: Job");
  assertEquals(parse(manifest)?.constructor, Object);
  assertEquals(wrongIn(manifest), []);
  assertEquals(wrongIn(manifest.replace("backoffLimitPerIndex", "backofLimitPerIndex")), [".spec.backofLimitPerIndex"]);
  assertEquals(wrongIn(manifest.replace("mountPath", "path")).length, 1);
  assertEquals(wrongIn(manifest.replace("completions: 20", "completions: many")).length, 1);
  assertEquals(violations("workflow", `on: push\n${yaml("matrix:")}`), []);
});
