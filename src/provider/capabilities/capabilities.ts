/** What an endpoint takes in a request, by the name of the capability; what is absent is not known. */
export type Capabilities = Readonly<Record<string, unknown>>;
