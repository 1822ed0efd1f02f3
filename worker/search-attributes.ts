import type { NativeConnection } from '@temporalio/worker';
import { searchAttribute, searchAttributes } from '../agent/values/names.ts';

/** Numbers of Temporal's IndexedValueType. */
const KEYWORD = 2;
const KEYWORD_LIST = 7;

const typeOf = (name: string) => (name === searchAttribute.tags ? KEYWORD_LIST : KEYWORD);

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
    const missing = searchAttributes.filter((name) => !Object.hasOwn(customAttributes, name));
    if (missing.length === 0) return true;
    const added = Object.fromEntries(missing.map((name) => [name, typeOf(name)]));
    await operatorService.addSearchAttributes({ namespace, searchAttributes: added });
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    onWarning(
      `Runs will carry no search attributes: ${searchAttributes.join(', ')} could not be registered (${reason}). An operator can add them as Keyword, and ${searchAttribute.tags} as KeywordList, with \`temporal operator search-attribute create\`.`,
    );
    return false;
  }
}
