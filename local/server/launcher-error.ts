/** No Temporal server answers, and none could be started. The message has the remedy. */
export class TemporalUnreachable extends Error {
  override name = 'TemporalUnreachable';
}
