// Looking up a global in the workflow sandbox costs as much as a hundred of these steps.
const { imul } = Math;

/**
 * A rolling 64-bit checksum over JSON texts, to check whether two transcripts are the same. Written by hand because
 * the workflow sandbox has no crypto; it guards against mistakes, not against attackers.
 */
export const EMPTY_DIGEST = '0000000000000000';

/** Digest of everything that `previous` stands for, followed by `text`. 16 hex digits. */
export function extendDigest(previous: string, text: string): string {
  let low = 0x811c9dc5 ^ Number.parseInt(previous.slice(8), 16);
  let high = 0x9e3779b1 ^ Number.parseInt(previous.slice(0, 8), 16);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = imul(low ^ unit, 0x01000193);
    high = imul(high ^ unit ^ (low >>> 15), 0x85ebca6b);
  }
  low = imul(low ^ (high >>> 16) ^ text.length, 0x85ebca6b);
  high = imul(high ^ (low >>> 13), 0xc2b2ae35);
  return hex(high) + hex(low);
}

/** Length of a value as JSON in UTF-8, the unit of every payload limit. */
export function jsonBytes(value: unknown): number {
  return utf8Length(JSON.stringify(value) ?? '');
}

/** Length of a text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if ((text.codePointAt(i) ?? 0) > 0xffff) {
      bytes += 2;
      i++;
    } else {
      bytes += unit < 0x800 ? 1 : 2;
    }
  }
  return bytes;
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
