/** @import { UiChunk, WaitingData } from '../../ai-sdk/ui-types.ts' */
/** @import { Json } from '../../../agent/values/vocabulary.ts' */

/**
 * A part of an answer. `state` of a tool: `running`, `approval`, `done`, `denied`, `failed`.
 * @typedef {(
 *   | { type: 'text' | 'reasoning', id: string, text: string }
 *   | { type: 'tool', id: string, tool: string, input: Json, state: string, output?: Json, approval?: string }
 *   | { type: 'waiting', id: string, data: WaitingData }
 *   | { type: 'worker', id: string, data: { text: string } }
 * )} Part
 */

/**
 * A message of a conversation. `id` of an answer: the run. `isOver`: the run has ended, or failed.
 * @typedef {{ id: string, role: 'user' | 'assistant', parts: Part[], error?: string, note?: string, isOver?: boolean }} ChatMessage
 */

/**
 * The message after a chunk of its stream.
 * @param {ChatMessage} message
 * @param {UiChunk} chunk
 * @returns {ChatMessage}
 */
export function withChunk(message, chunk) {
  const { parts } = message;
  switch (chunk.type) {
    case 'start':
      return { id: chunk.messageId, role: 'assistant', parts: [] };
    case 'text-start':
      return { ...message, parts: [...parts, { type: 'text', id: chunk.id, text: '' }] };
    case 'reasoning-start':
      return { ...message, parts: [...parts, { type: 'reasoning', id: chunk.id, text: '' }] };
    case 'text-delta':
    case 'reasoning-delta':
      return { ...message, parts: longer(parts, chunk.id, chunk.delta) };
    case 'tool-input-available': {
      const { toolCallId: id, toolName: tool, input } = chunk;
      return { ...message, parts: put(parts, { type: 'tool', id, tool, input, state: 'running' }) };
    }
    case 'tool-approval-request':
      return changed({ state: 'approval', approval: chunk.approvalId }, chunk.toolCallId);
    case 'tool-output-available':
      return changed(
        { state: chunk.preliminary ? 'running' : 'done', output: chunk.output },
        chunk.toolCallId,
      );
    case 'tool-output-denied':
      return changed({ state: 'denied' }, chunk.toolCallId);
    case 'tool-output-error':
      return changed({ state: 'failed', output: chunk.errorText }, chunk.toolCallId);
    case 'data-waiting':
    case 'data-worker':
      return { ...message, parts: withData(parts, chunk) };
    case 'error':
      return { ...message, error: chunk.errorText, isOver: true };
    case 'finish':
      if (chunk.finishReason === 'tool-calls') return message;
      return { ...message, isOver: true, ...noteOf(chunk.finishReason) };
    default:
      return message;
  }

  /**
   * @param {object} change
   * @param {string} id
   */
  function changed(change, id) {
    const now = parts.map((part) => (part.type === 'tool' && part.id === id ? { ...part, ...change } : part));
    return { ...message, parts: now };
  }
}

/** @param {string} reason */
function noteOf(reason) {
  if (reason === 'length') return { note: 'The answer ends here: a limit was reached.' };
  return reason === 'stop' ? {} : { note: 'Stopped.' };
}

/**
 * @param {Part[]} parts
 * @param {string} id
 * @param {string} delta
 * @returns {Part[]}
 */
function longer(parts, id, delta) {
  const at = parts.findLastIndex((part) => 'text' in part && part.id === id);
  return parts.map((part, index) =>
    index === at && 'text' in part ? { ...part, text: part.text + delta } : part,
  );
}

/**
 * @param {Part[]} parts
 * @param {Extract<UiChunk, { type: 'data-waiting' | 'data-worker' }>} chunk
 * @returns {Part[]}
 */
function withData(parts, { type, id, data }) {
  if (data === null) return parts.filter((part) => part.id !== id || part.type === 'tool');
  const part = type === 'data-waiting' ? { type: 'waiting', id, data } : { type: 'worker', id, data };
  return put(parts, /** @type {Part} */ (part));
}

/**
 * Adds a part, or replaces the one of the same type and id.
 * @param {Part[]} parts
 * @param {Part} part
 */
function put(parts, part) {
  const at = parts.findIndex(({ type, id }) => type === part.type && id === part.id);
  return at < 0 ? [...parts, part] : parts.with(at, part);
}
