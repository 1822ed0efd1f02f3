import type { Content, ImageRef } from '../values/content.ts';

/** Completes each image reference with the run that recorded it. */
export function qualifyImageRefs(input: Content, place: Omit<ImageRef, 'index'>): Content {
  if (typeof input === 'string') return input;
  return input.map((part) =>
    part.type === 'text' || part.ref === undefined ? part : { ...part, ref: { ...place, ...part.ref } },
  );
}
