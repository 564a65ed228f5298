/** Sends whatever code prints to standard error: standard output carries the protocol, or belongs to the host. */
export function keepOutputClean(): void {
  console.log = console.info = console.debug = console.error;
}
