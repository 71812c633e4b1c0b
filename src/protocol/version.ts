/** The protocol's version: the only one a request may name, and the one every response bears. */
export const protocolVersion = 1;
