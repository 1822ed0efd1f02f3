import { randomUUID } from 'node:crypto';
import { EXCEPTION_TOOL, type RunView } from '../../client/index.ts';
import { progressText } from '../replies/progress-text.ts';
import type { RunPart } from '../replies/run-parts.ts';
import type { JsonPart, Task, TaskUpdate } from './a2a-types.ts';
import { agentMessage, answerOf, artifactOf, statusOf, taskOf } from './task.ts';

export interface TaskUpdates {
  /** The updates of a part, for a client that has the task as it was before the part. */
  next(part: RunPart): TaskUpdate[];
  /** The task as it is after the last part, with the text that is being written. */
  task(): Task;
  /** The same for a client that has the task as submitted. */
  afterSubmitted(): TaskUpdate[];
  /** True if the run continues only when a person has decided. */
  isAsking(): boolean;
}

/**
 * Makes the updates of a task from the parts of its run. The text of the latest model call is the artifact, until a tool call shows that the
 * text was not the answer: then the text becomes a message of the status. `view`: the run as of the last part.
 */
export function createTaskUpdates(view: RunView, contextId: string): TaskUpdates {
  const names = { taskId: view.id, contextId };
  const tools = new Set<string>();
  /** The text that the client has as the artifact, and its model call. */
  let written: { call: string; text: string } | undefined;

  let isHeldUp = false;

  return { next, task, afterSubmitted, isAsking: () => isHeldUp };

  function next(part: RunPart): TaskUpdate[] {
    switch (part.type) {
      case 'text':
        return [write(part.call, part.delta)];
      case 'void':
        tools.delete(part.call);
        return part.call === written?.call ? withdraw() : [];
      case 'tool_call':
        if (part.action.tool === EXCEPTION_TOOL) return [];
        tools.add(part.call);
        return [...endOfThought(part.call), ...progress(progressText(part))];
      case 'worker':
      case 'tool_progress':
        return progress(progressText(part));
      case 'tool_result':
        return tools.delete(part.call) ? progress(progressText(part)) : [];
      case 'waiting':
      case 'wait_ended':
        return [status()];
      case 'held_up':
        isHeldUp = part.by.length > 0;
        return [];
      case 'ended':
        return [...lastAnswer(), status()];
      default:
        return [];
    }
  }

  function task(): Task {
    const now = taskOf(view, contextId);
    if (written === undefined) return now;
    return { artifacts: [artifactOf({ text: written.text })], ...now };
  }

  function afterSubmitted(): TaskUpdate[] {
    const { artifacts = [] } = task();
    return [...artifacts.map(({ parts }) => replace(...parts)), status()];
  }

  function write(call: string, delta: string): TaskUpdate {
    const isMore = written?.call === call;
    written = { call, text: isMore ? `${written?.text}${delta}` : delta };
    const artifact = artifactOf({ text: delta });
    return { artifactUpdate: { ...names, artifact, append: isMore } };
  }

  /** The client's artifact becomes an empty text: A2A has no removal of an artifact. */
  function withdraw(): TaskUpdate[] {
    if (written === undefined) return [];
    written = undefined;
    return [replace({ text: '' })];
  }

  function endOfThought(call: string): TaskUpdate[] {
    const text = call.startsWith(`${written?.call}.`) ? written?.text : undefined;
    return text === undefined ? [] : [...withdraw(), ...progress(text)];
  }

  function lastAnswer(): TaskUpdate[] {
    const answer = answerOf(view);
    if (answer === undefined) return withdraw();
    return 'text' in answer && answer.text === written?.text ? [] : [replace(answer)];
  }

  function replace(...parts: JsonPart[]): TaskUpdate {
    return { artifactUpdate: { ...names, artifact: { ...artifactOf({ text: '' }), parts }, append: false } };
  }

  function status(): TaskUpdate {
    return { statusUpdate: { ...names, status: statusOf(view, contextId) } };
  }

  /** A message about the work. A task that asks keeps its question. */
  function progress(text: string | undefined): TaskUpdate[] {
    if (text === undefined || view.status !== 'running') return [];
    const message = agentMessage(view.id, contextId, { messageId: randomUUID(), parts: [{ text }] });
    return [{ statusUpdate: { ...names, status: { state: 'TASK_STATE_WORKING', message } } }];
  }
}
