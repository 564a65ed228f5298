/** The program's version; the same as in deno.json, which a test asserts. */
export const VERSION = "0.1.0";

/** Where the project is published. OWNER is to be replaced there; everything else that names the place takes it from here. */
export const PROJECT_URL = "https://github.com/OWNER/sandpiper";
