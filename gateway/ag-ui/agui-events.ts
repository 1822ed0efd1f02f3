import { asText, EXCEPTION_TOOL, needsPerson, type WaitingCall } from '../../client/index.ts';
import { NO_WORKER, type WorkerPart } from '../replies/worker-parts.ts';
import type { RunPart } from '../replies/run-parts.ts';
import type { AguiEvent } from './agui-types.ts';
import { type RunMessages, createRunMessages, idsOf, modelCallOf } from './agui-messages.ts';

type TextType = 'text' | 'reasoning';
type Part<T extends RunPart['type']> = Extract<RunPart, { type: T }>;

export interface AguiEvents {
  /** The events of a part. `withdrawn`: the client needs a snapshot of the messages. */
  next(part: RunPart): AguiEvent[] | 'withdrawn';
  /** Ends all that is open. */
  close(): AguiEvent[];
  messages: Pick<RunMessages, 'list'>;
  /** All waits for a person or the client, if some of them hold the run up; otherwise none. */
  interrupts(): WaitingCall[];
}

/** Makes the events of a run's reply, without those of the run's start and end. `given`: ids of the tool calls whose result the client has sent. */
export function createAguiEvents(run: string, given: ReadonlySet<string> = new Set()): AguiEvents {
  const ids = idsOf(run);
  const messages = createRunMessages(run);
  const open = new Map<TextType, string>();
  const tools = new Set<string>();
  const waits = new Map<string, WaitingCall>();
  /** Calls that the client carries out, with the number of their wait. */
  const clientCalls = new Map<string, number>();
  /** Calls that the client shows. */
  const shown = new Set<string>();
  let isHeldUp = false;
  let step: string | undefined;

  const interrupts = () => (isHeldUp ? [...waits.values()].filter(needsPerson) : []);
  return { next, close, messages, interrupts };

  function next(part: RunPart): AguiEvent[] | 'withdrawn' {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return [...beginStep(part.call), ...write(part.type, part.call, part.delta)];
      case 'turn':
        return endTexts();
      case 'output':
        return [...write('text', 'output', part.text), ...endTexts()];
      case 'void':
        return withdraw(part.call);
      case 'tool_call':
        return part.action.tool === EXCEPTION_TOOL ? [] : [...beginStep(part.call), ...beginTool(part)];
      case 'tool_progress':
        return tools.has(part.call) ? [progress(part)] : [];
      case 'tool_result':
        return tools.delete(part.call) ? endTool(part) : [];
      case 'worker':
        return [workerEvent(part)];
      case 'waiting':
        waits.set(part.wait.call, part.wait);
        return [];
      case 'wait_ended':
        waits.delete(part.call);
        return [];
      case 'held_up':
        isHeldUp = part.by.length > 0;
        return [];
      default:
        return [];
    }
  }

  function beginStep(call: string): AguiEvent[] {
    shown.add(call);
    const own = modelCallOf(call);
    if (own === step) return [];
    const end = close();
    step = own;
    return [...end, { type: 'STEP_STARTED', stepName: own }];
  }

  function endStep(): AguiEvent[] {
    const ended = step;
    step = undefined;
    return ended === undefined ? [] : [{ type: 'STEP_FINISHED', stepName: ended }];
  }

  function write(type: TextType, call: string, delta: string): AguiEvent[] {
    messages.write(call, type, delta);
    const begun = open.has(type) ? [] : beginText(type, call);
    open.set(type, call);
    return [...begun, { type: `${nameOf(type)}_CONTENT`, messageId: ids[type](call), delta }];
  }

  function beginText(type: TextType, call: string): AguiEvent[] {
    const messageId = ids[type](call);
    if (type === 'text') return [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }];
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
    ];
  }

  function endTexts(): AguiEvent[] {
    const ends = [...open].flatMap(([type, call]): AguiEvent[] => {
      const messageId = ids[type](call);
      const end: AguiEvent = { type: `${nameOf(type)}_END`, messageId };
      return type === 'text' ? [end] : [end, { type: 'REASONING_END', messageId }];
    });
    open.clear();
    return ends;
  }

  function beginTool({ call, action: { tool, toolInput }, client }: Part<'tool_call'>): AguiEvent[] {
    tools.add(call);
    if (client !== undefined) clientCalls.set(call, client);
    const toolCallId = ids.tool(call, client);
    const input = JSON.stringify(toolInput);
    messages.addTool(call, {
      id: toolCallId,
      type: 'function',
      function: { name: tool, arguments: input },
    });
    const parentMessageId = ids.text(modelCallOf(call));
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: tool, parentMessageId },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: input },
      { type: 'TOOL_CALL_END', toolCallId },
    ];
  }

  function progress({ call, text }: Part<'tool_progress'>): AguiEvent {
    return { type: 'CUSTOM', name: 'tool_progress', value: { toolCallId: ids.tool(call), text } };
  }

  /** The client that has sent a result has its message. */
  function endTool({ call, observation }: Part<'tool_result'>): AguiEvent[] {
    const content = asText(observation);
    const n = clientCalls.get(call);
    messages.addResult(call, content, n);
    const [messageId, toolCallId] = [ids.result(call), ids.tool(call, n)];
    if (given.has(toolCallId)) return [];
    return [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool' }];
  }

  function withdraw(call: string): AguiEvent[] | 'withdrawn' {
    messages.drop(call);
    tools.delete(call);
    waits.delete(call);
    return shown.delete(call) ? 'withdrawn' : [];
  }

  function close(): AguiEvent[] {
    return [...endTexts(), ...endStep()];
  }
}

/** The wait for a worker, which is not part of the messages. */
export function workerEvent({ isThere }: WorkerPart): AguiEvent {
  return { type: 'CUSTOM', name: 'worker', value: { isThere, text: isThere ? '' : NO_WORKER } };
}

function nameOf(type: TextType): 'TEXT_MESSAGE' | 'REASONING_MESSAGE' {
  return type === 'text' ? 'TEXT_MESSAGE' : 'REASONING_MESSAGE';
}
