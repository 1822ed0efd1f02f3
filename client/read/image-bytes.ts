import { sizeText } from '../../agent/values/content.ts';
import { InvalidInput } from '../connect/errors.ts';

/**
 * Media type of an image, read from its first bytes: a name or a header may be wrong. Throws InvalidInput for a type
 * that no model takes.
 */
export function mediaTypeOf(bytes: Uint8Array, claimed: string | undefined, what: string): string {
  if (bytes.length === 0) throw new InvalidInput(`${what} is empty: it has no bytes.`);
  const found = signatures.find(({ isIt }) => isIt(bytes))?.mediaType;
  if (found === undefined) {
    throw new InvalidInput(
      `${what} (${sizeText(bytes.length)}) is not a PNG, JPEG, GIF or WebP: models take images of these kinds only. Convert it.`,
    );
  }
  if (claimed === undefined || claimed === 'image/*' || normal(claimed) === found) return found;
  throw new InvalidInput(
    `${what} is called ${claimed}, but its bytes are ${found}. Correct mediaType, or leave it out.`,
  );
}

const signatures: { mediaType: string; isIt(bytes: Uint8Array): boolean }[] = [
  { mediaType: 'image/png', isIt: (bytes) => begins(bytes, '\x89PNG\r\n\x1a\n') },
  { mediaType: 'image/jpeg', isIt: (bytes) => begins(bytes, '\xff\xd8\xff') },
  { mediaType: 'image/gif', isIt: (bytes) => begins(bytes, 'GIF87a') || begins(bytes, 'GIF89a') },
  { mediaType: 'image/webp', isIt: (bytes) => begins(bytes, 'RIFF') && begins(bytes.subarray(8), 'WEBP') },
];

function begins(bytes: Uint8Array, signature: string): boolean {
  return Buffer.from(signature, 'latin1').equals(bytes.subarray(0, signature.length));
}

function normal(mediaType: string): string {
  const lower = mediaType.toLowerCase();
  return lower === 'image/jpg' ? 'image/jpeg' : lower;
}
