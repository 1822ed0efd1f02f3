import type { Json } from '../../agent/vocabulary.ts';

/** A request's body, as JSON. */
export type WireBody = { [field: string]: Json };
