import { Buffer } from "node:buffer";

/** Text encodings that the shell's commands name. */
type Encoding = "utf8" | "utf-8" | "ascii" | "binary" | "base64" | "hex" | "latin1";

/** An encoding, or options that may hold one, as file calls take them. */
export type EncodingOption = Encoding | { readonly encoding?: Encoding | null } | undefined;

/** Content as bytes; text is UTF-8 unless told otherwise. */
export function bytesOf(content: string | Uint8Array, option?: EncodingOption): Uint8Array<ArrayBuffer> {
  return typeof content === "string" ? Uint8Array.from(Buffer.from(content, nameOf(option))) : Uint8Array.from(content);
}

/** Bytes as text. */
export function textOf(bytes: Uint8Array<ArrayBuffer>, option?: EncodingOption): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(nameOf(option));
}

function nameOf(option: EncodingOption): Encoding {
  return (typeof option === "string" ? option : option?.encoding) ?? "utf8";
}
