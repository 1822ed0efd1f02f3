/** An error with a status code of gRPC, as the client throws it. */
export function grpcError(code: number, details: string): Error {
  return Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} });
}
