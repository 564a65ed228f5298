import { UserError } from "../../core/error.ts";
import type { ModelChoice } from "./model.ts";

/**
 * A choice with a model in it: `PROVIDER/` alone, of a provider without a usual model, is the only one that its server
 * lists. Throws UserError where it lists none or several.
 */
export async function resolveChoice(choice: ModelChoice): Promise<ModelChoice> {
  if (choice.kind !== "server" || choice.endpoint.model !== "") return choice;
  const { endpoint } = choice;
  const { entry: { name, label }, baseUrl } = endpoint;
  const { listModels } = await import("./list_models.ts");
  const listed = await listModels(endpoint);
  const [first, ...others] = "models" in listed ? listed.models : [];
  if (first && others.length === 0) return { kind: "server", endpoint: { ...endpoint, model: first.id } };
  const what = `Which model of ${label}?`;
  const fix = `Write --model ${name}/ID`;
  if ("why" in listed) throw new UserError({ what, why: `${baseUrl} lists none: ${listed.why}`, fix });
  if (!first) throw new UserError({ what, why: `${baseUrl} has none`, fix: "Load or download one there first" });
  const names = listed.models.slice(0, 12).map(({ id }) => id).join(", ");
  throw new UserError({
    what,
    why: `it has ${listed.models.length}: ${names}${listed.models.length > 12 ? ", …" : ""}`,
    fix: `Write for example --model ${name}/${first.id}`,
  });
}
