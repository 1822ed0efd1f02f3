import type { Json } from '../agent/vocabulary.ts';

/** Where replies to identical requests are kept, by key (64 hex digits). May be slow or broken: no call fails for it. */
export interface ReplyStore {
  /** undefined: there is none. */
  get(key: string): Promise<Json | undefined> | Json | undefined;
  set(key: string, value: { [field: string]: Json }): unknown;
}
