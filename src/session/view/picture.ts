/** Formats that browsers show as a picture and nothing else: an SVG is a document. */
const TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Whether a picture's type and data may stand in an address as they are. */
export function isPicture({ mimeType, data }: { readonly mimeType: string; readonly data: string }): boolean {
  return TYPES.has(mimeType) && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}
