import type { JsonSchema } from '../definition/manifest.ts';
import type { Json } from '../values/vocabulary.ts';

/** Question of a call. An answer is also `{ action: 'accept', content }`, `{ action: 'decline' }` or `{ action: 'cancel' }`. */
export interface AskedState {
  /** Schema of the answer. undefined: any. */
  schema?: JsonSchema | undefined;
  /** Given back to the tool with the answer. */
  state: Json;
}
