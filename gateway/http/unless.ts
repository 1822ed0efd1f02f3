/** The value of the promise; undefined where it rejects with an error of this class. */
export async function unless<T>(
  ErrorClass: abstract new (...args: never) => Error,
  promise: Promise<T>,
): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof ErrorClass) return undefined;
    throw error;
  }
}
