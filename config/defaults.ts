/** Bytes of transcripts a worker keeps in memory. */
export const TRANSCRIPT_CACHE_BYTES = 64_000_000;
