/** A function that makes its value at the first call and gives the same one afterwards: for what costs time at start. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A function that makes its value for an object at the first call with it, and gives the same one as long as that lives. */
export function onceFor<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const values = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const known = values.get(key) ?? { value: make(key) };
    values.set(key, known);
    return known.value;
  };
}
