import { limits } from '../../agent/values/limits.ts';
import { Refused } from './problem.ts';

/** Levels of a request around the value that Reloop records: the parts of a message, and the fields of a protocol. */
const LEVELS_AROUND = 20;

/** Refuses a body of JSON that is nested so deep that a recursion over it fails. Leaves the body for its reader. Throws Refused. */
export async function refuseDeepBody(request: Request): Promise<void> {
  if (request.body === null) return;
  const levels = limits.jsonDepth + LEVELS_AROUND;
  if (depthOf(await textOf(request.clone())) <= levels) return;
  throw new Refused(400, 'InvalidInput', `The body is nested more than ${levels} levels deep. Flatten it.`);
}

/** Empty where the sender has left: the reader of the body finds that too. */
function textOf(request: Request): Promise<string> {
  return request.text().catch(() => '');
}

/** Counts the levels of a JSON text. Brackets in strings do not count. */
function depthOf(text: string): number {
  let [depth, deepest, isString] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isString && char === '\\') at++;
    else if (char === '"') isString = !isString;
    else if (isString) continue;
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth);
    else if (char === '}' || char === ']') depth--;
  }
  return deepest;
}
