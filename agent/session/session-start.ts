import { isObject, withoutNulls } from '../values/json-object.ts';
import { misstart } from '../start/misstart.ts';
import { boundedText } from '../values/values.ts';
import { type SessionState, checkSessionName, newSession, sessionId } from './session.ts';

/**
 * Reads the input of a session's workflow, whose id has the name, too. A new session has nothing else. Throws
 * InvalidInput.
 */
export function readSessionStart(sent: readonly unknown[], workflowId: string): SessionState {
  const [input, ...others] = sent;
  if (others.length > 0) throw wrong(`there are ${sent.length} arguments.`);
  const name = nameIn(workflowId);
  if (input === undefined || input === null) return newSession(name);
  if (!isObject(input)) throw wrong(`the input is not an object: ${boundedText(input, 100)}.`);
  for (const [field, value] of Object.entries(withoutNulls(input))) {
    if (field === 'name' && value !== name)
      throw wrong(
        `the name is ${boundedText(JSON.stringify(value), 100)}, and the workflow id ${workflowId}.`,
      );
    const isEmptyList = Array.isArray(value) && value.length === 0;
    if (field !== 'name' && !(Object.hasOwn(newSession(name), field) && isEmptyList))
      throw wrong(`a new session has a name and nothing else, no ${boundedText(field, 100)}.`);
  }
  return newSession(name);
}

function nameIn(workflowId: string): string {
  const prefix = sessionId('');
  if (!workflowId.startsWith(prefix))
    throw wrong(`the workflow id of a session is ${prefix} and its name, not ${workflowId}.`);
  const name = workflowId.slice(prefix.length);
  try {
    checkSessionName(name);
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
  return name;
}

function wrong(problem: string) {
  return misstart('agentSession', problem);
}
