/** A function that makes its value at the first call and gives the same one afterwards: for what costs time at start. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
