import type { NativeConnection } from '@temporalio/worker';

const KEYWORD = 2;
const NAMES = ['ReloopAgent', 'ReloopStatus', 'ReloopSession'];

/**
 * Registers Reloop's search attributes where that is possible, and says whether they can be used. Without them runs are
 * the same; only filtering by status is missing.
 */
export async function registerSearchAttributes(
  connection: NativeConnection,
  namespace: string,
  onWarning: (text: string) => void = () => undefined,
): Promise<boolean> {
  const { operatorService } = connection;
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    const missing = NAMES.filter((name) => !Object.hasOwn(customAttributes, name));
    if (missing.length === 0) return true;
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
    await operatorService.addSearchAttributes({ namespace, searchAttributes });
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    onWarning(
      `Runs will carry no search attributes: ${NAMES.join(', ')} could not be registered (${reason}). An operator can add them as Keyword with \`temporal operator search-attribute create\`.`,
    );
    return false;
  }
}
