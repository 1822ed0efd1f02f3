/** No Temporal server could be had; the message says what to do. Same name as the client's: one cause, one exit code. */
export class TemporalUnreachable extends Error {
  override name = 'TemporalUnreachable';
}
