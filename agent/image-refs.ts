import type { Content, ImageRef } from './content.ts';

/** The same, where each reference says what it leaves out: whose record it is in. */
export function located(input: Content, place: Omit<ImageRef, 'index'>): Content {
  if (typeof input === 'string') return input;
  return input.map((part) =>
    part.type === 'text' || part.ref === undefined ? part : { ...part, ref: { ...place, ...part.ref } },
  );
}
