/** JSON for people who review a difference: what fits into a line stands in one. */
export function listed(value: unknown, indent = ""): string {
  const line = JSON.stringify(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= 110) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = Array.isArray(value)
    ? value.map((part) => listed(part, inner))
    : Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${listed(part, inner)}`);
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${indent}${close}`;
}
