/** What tools make their schemas with, named one by one: only then is the rest of the package not part of the program. */
export { array, boolean, describe, int, looseObject, number, object, optional, positive, string } from "zod/mini";
