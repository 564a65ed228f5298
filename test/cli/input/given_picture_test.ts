import { assertEquals } from "@std/assert";
import { givenPicture } from "../../../src/cli/input/given_picture.ts";

const PNG = "iVBORw0KGgo=";
const CASES = [
  { name: "a PNG", data: PNG, picture: [PNG, "image/png"] },
  { name: "an address of a browser", data: `data:image/png;base64,${PNG}`, picture: [PNG, "image/png"] },
  { name: "a JPEG, whatever it is called", data: "/9j/4AAQSkZJRg==", picture: ["/9j/4AAQSkZJRg==", "image/jpeg"] },
  { name: "a drawing", data: btoa("<svg>"), picture: undefined },
  { name: "what is no base64", data: "!!!!", picture: undefined },
  { name: "base64 that was cut", data: PNG.slice(0, -2), picture: undefined },
  { name: "nothing", data: "", picture: undefined },
] as const;
for (const { name, data, picture } of CASES) {
  Deno.test(`givenPicture() ${picture ? "takes" : "refuses"} ${name}`, () => {
    const [bare, mimeType] = picture ?? [];
    assertEquals<unknown>(givenPicture(data), picture && { type: "image", data: bare, mimeType });
  });
}
