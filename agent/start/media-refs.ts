import type { Content, MediaRef } from '../values/content.ts';

/** Completes each image reference with the run that recorded it. */
export function qualifyMediaRefs(input: Content, place: Omit<MediaRef, 'index'>): Content {
  if (typeof input === 'string') return input;
  return input.map((part) =>
    part.type === 'text' || part.ref === undefined ? part : { ...part, ref: { ...place, ...part.ref } },
  );
}
