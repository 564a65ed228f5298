// GitHub's own parser and published schemas of its two kinds of file: what it refuses, GitHub would refuse.
import { JSONObjectReader } from "@actions/workflow-parser/templates/json-object-reader";
import { TemplateSchema } from "@actions/workflow-parser/templates/schema/index";
import { TemplateContext, TemplateValidationErrors } from "@actions/workflow-parser/templates/template-context";
import { readTemplate } from "@actions/workflow-parser/templates/template-reader";
import { NoOperationTraceWriter } from "@actions/workflow-parser/templates/trace-writer";
import { YamlObjectReader } from "@actions/workflow-parser/workflows/yaml-object-reader";

/** What a schema is for, and where its rules begin in it. */
const KINDS = {
  action: { file: "action-v1.0.min.json", root: "action-root-strict" },
  workflow: { file: "workflow-v1.0.min.json", root: "workflow-root-strict" },
} as const;

/** What GitHub would say is wrong with a file; nothing where all is well. */
export function violations(kind: keyof typeof KINDS, content: string): readonly string[] {
  const { file, root } = KINDS[kind];
  const folder = new URL("../../", import.meta.resolve("@actions/workflow-parser/templates/schema/index"));
  const schema = TemplateSchema.load(new JSONObjectReader(undefined, Deno.readTextFileSync(new URL(file, folder))));
  const context = new TemplateContext(new TemplateValidationErrors(), schema, new NoOperationTraceWriter());
  const id = context.getFileId(`${kind}.yml`);
  const reader = new YamlObjectReader(id, content);
  if (reader.errors.length > 0) return reader.errors.map(({ message }) => message);
  readTemplate(context, root, reader, id);
  return context.errors.getErrors().map(({ message }) => message);
}
