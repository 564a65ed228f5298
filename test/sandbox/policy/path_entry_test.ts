import { assertEquals } from "@std/assert";
import { pathReader } from "../../../src/sandbox/policy/path_entry.ts";

Deno.test("pathReader() takes a path of Windows for what it is, and comes to an end where a disk is not there", () => {
  const { granted, denied } = pathReader("/work/project", "/home/ann", () => undefined);
  for (const entry of ["D:\\data", "d:/data", "\\\\server\\share\\a"]) {
    assertEquals([granted(entry), denied(entry)], [[entry], [entry]]);
  }
  assertEquals(granted("D:data"), ["/work/project/D:data"]);
});
