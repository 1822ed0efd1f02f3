/** A host and a port. */
export const LISTEN_ADDRESS = /^(?:\[[\da-f:.]+\]|[\w.-]+):(?!0\d)\d{1,5}$/iu;
