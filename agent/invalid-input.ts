/** What was asked for cannot be done as asked; the message says what can. Nothing was started. */
export class InvalidInput extends Error {
  override name = 'InvalidInput';
}
