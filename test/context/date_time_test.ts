import { assertEquals } from "@std/assert";
import { formatDateTime } from "../../src/context/date_time.ts";

const MARCH = Date.UTC(2026, 2, 7, 14, 55, 5);
const CASES = [
  { at: MARCH, zone: "America/Chicago", text: "Saturday, March 7, 2026 at 08:55:05 AM CST" },
  { at: Date.UTC(2026, 6, 1, 17, 0, 0), zone: "America/Chicago", text: "Wednesday, July 1, 2026 at 12:00:00 PM CDT" },
  { at: Date.UTC(2026, 11, 31, 0, 0, 9), zone: "UTC", text: "Thursday, December 31, 2026 at 12:00:09 AM UTC" },
  { at: MARCH, zone: "Asia/Kolkata", text: "Saturday, March 7, 2026 at 08:25:05 PM GMT+5:30" },
  { at: MARCH, zone: "Europe/London", text: "Saturday, March 7, 2026 at 02:55:05 PM GMT" },
] as const;
for (const { at, zone, text } of CASES) {
  Deno.test(`formatDateTime() R21 writes ${text}`, () => assertEquals(formatDateTime(at, zone), text));
}

Deno.test("formatDateTime() R21 of the machine's own zone equals that of the zone by name", async () => {
  const zones = ["America/Chicago", "America/St_Johns", "Pacific/Honolulu", "Asia/Kolkata", "Europe/London", "UTC"];
  const module = new URL("../../src/context/date_time.ts", import.meta.url);
  const moments = [
    MARCH,
    Date.UTC(2026, 6, 1, 5, 4, 3),
    Date.UTC(2026, 0, 1, 12, 0, 0),
    Date.UTC(2027, 9, 31, 23, 59, 59),
  ];
  const code = `import { formatDateTime } from "${module}";
    console.log(JSON.stringify(${JSON.stringify(moments)}.map((at) => formatDateTime(at))));`;
  const found = await Promise.all(zones.map(async (zone) => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "--no-config", `data:text/typescript,${encodeURIComponent(code)}`],
      env: { TZ: zone },
    }).output();
    return JSON.parse(new TextDecoder().decode(stdout));
  }));
  assertEquals(found, zones.map((zone) => moments.map((at) => formatDateTime(at, zone))));
});
