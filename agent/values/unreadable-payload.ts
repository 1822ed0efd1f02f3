interface RawPayload {
  metadata?: { [name: string]: Uint8Array } | null | undefined;
}

/** Encodings by which other SDKs send protobuf messages. A payload of any other name may be for the user's own converter. */
const PROTOBUF = ['json/protobuf', 'binary/protobuf'];

/**
 * Reason why no worker can ever read a payload that was sent by hand; undefined if one can, or if it is unknown.
 * `convert` reads it, and throws.
 */
export function unreadable<P extends RawPayload>(
  payload: P,
  convert: (payload: P) => unknown,
): string | undefined {
  const bytes = payload.metadata?.['encoding'];
  if (bytes === undefined) return 'it does not say its encoding. Send json/plain.';
  const encoding = String.fromCharCode(...bytes.slice(0, 100));
  if (PROTOBUF.includes(encoding)) return `its encoding is ${encoding}. Send json/plain.`;
  if (encoding !== 'json/plain') return undefined;
  try {
    convert(payload);
    return undefined;
  } catch {
    return 'it is not valid JSON.';
  }
}
