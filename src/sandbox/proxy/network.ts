/** What the proxy needs of the machine; tests put another in its place. */
export interface Network {
  /** Addresses of a name; rejects when it has none. */
  readonly resolve: (name: string) => Promise<readonly string[]>;
  /** Connects to an address, never to a name. */
  readonly connect: (address: string, port: number) => Promise<Deno.Conn>;
  /** The machine's own addresses, at this moment. */
  readonly ownAddresses: () => readonly string[];
}

/** The network that this program is in. */
export const MACHINE_NET: Network = {
  async resolve(name) {
    // The system's own resolver, hosts file included, as any other program of the user would ask it.
    const { lookup } = await import("node:dns/promises");
    return (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
  },
  connect: (hostname, port) => Deno.connect({ hostname, port }),
  ownAddresses: () => Deno.networkInterfaces().map(({ address }) => address),
};
