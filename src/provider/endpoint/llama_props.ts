import { isObject } from "../../core/json.ts";
import { textUpTo } from "../../core/support/byte_reader.ts";
import type { SomeCapabilities } from "../capabilities/capabilities.ts";
import type { Connection } from "./connection.ts";
import { keyHeaders } from "./post.ts";

/** Longer answers are none: chat templates are part of it. Bytes. */
const MOST_BYTES = 1024 * 1024;

/** What llama.cpp's server says of itself: its window, and whether its model sees. Rejects where it says nothing of use. */
export async function readProps(connection: Connection, signal: AbortSignal): Promise<SomeCapabilities> {
  const { baseUrl, apiKey, isKeyless, key, keyHeader = "bearer", headers = {} } = connection;
  const value = key ? await key.current(signal) : isKeyless ? "" : apiKey;
  const response = await fetch(`${baseUrl.replace(/\/(?:v1\/?)?$/, "")}/props`, {
    headers: { ...keyHeaders(value, keyHeader), ...headers },
    redirect: "manual",
    signal,
  });
  const props: unknown = JSON.parse(await textUpTo(MOST_BYTES, response.body) ?? "");
  if (!response.ok || !isObject(props)) return {};
  const { default_generation_settings: settings, modalities } = props;
  const window = isObject(settings) ? settings.n_ctx : props.n_ctx;
  return {
    ...(typeof window === "number" && Number.isInteger(window) && window >= 512 ? { contextWindow: window } : {}),
    ...(isObject(modalities) && modalities.vision === false ? { images: false } : {}),
  };
}
