import { EXCEPTION_TOOL, possibleDecisions, reasonText, type WaitingCall } from '../../client/index.ts';
import { failureText } from '../access/failure-text.ts';
import { NO_WORKER } from '../replies/worker-parts.ts';
import type { RunEnd, RunPart } from '../replies/run-parts.ts';
import { type Approval, approvalId } from '../start/approvals.ts';
import type { TextType, ToolInput, UiChunk, WaitingData } from './ui-types.ts';

/** The text was replaced, or dropped by a restart, and the page cannot remove it. */
export class TextWithdrawn extends Error {}

export interface UiChunks {
  /** The chunks of a part. Throws TextWithdrawn. */
  next(part: RunPart): UiChunk[];
  /** True if the run continues only with approvals, or results, from the page. */
  isWaitingForPage(): boolean;
}

export interface ChunkOptions {
  /** The caller may answer approvals. If not, another person ends the wait for an approval, and the stream stays open for it. */
  mayDecide: boolean;
  /** Approvals and results that the page has given. */
  answered?: readonly Approval[] | undefined;
  /** The page knows the newer chunks. */
  isNewer?: boolean | undefined;
}

/** Makes the chunks of a run's reply, which is one message. */
export function createUiChunks(
  run: string,
  { mayDecide, answered = [], isNewer = false }: ChunkOptions,
): UiChunks {
  /** The texts that are being written, in their order. */
  const texts = new Map<TextType, string>();
  const tools = new Map<string, ToolInput>();
  /** Calls that wait for approval, with the ids of their approvals. */
  const approvals = new Map<string, string>();
  /** Calls of the page's tools, with the number of their wait. */
  const clientCalls = new Map<string, number>();
  const rejected = new Set<string>();
  const waits = new Set<string>();
  /** Calls with chunks. */
  const shown = new Set<string>();
  /** Messages of people that the page has. */
  const messages = new Set<string>();
  let heldUpBy: readonly WaitingCall[] = [];
  let step: string | undefined;

  return {
    next,
    isWaitingForPage: () =>
      heldUpBy.length > 0 && heldUpBy.every(({ call }) => approvals.has(call) || clientCalls.has(call)),
  };

  function next(part: RunPart): UiChunk[] {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        return [...stepOf(part.call), ...write(part.type, part.call, part.delta)];
      case 'turn':
        return endTexts();
      case 'output':
        return [...closeStep(), ...write('text', 'output', part.text), ...endTexts()];
      case 'void':
        return takeBack(part.call);
      case 'said':
        return isNewer ? steer(part) : [];
      case 'tool_call':
        return part.action.tool === EXCEPTION_TOOL ? [] : [...stepOf(part.call), beginTool(part)];
      case 'tool_progress':
        return tools.has(part.call)
          ? [
              {
                type: 'tool-output-available',
                toolCallId: idOf(part.call),
                output: part.text,
                preliminary: true,
              },
            ]
          : [];
      case 'tool_result':
        return tools.delete(part.call) ? endTool(part) : [];
      case 'worker':
        return [{ type: 'data-worker', id: idOf('worker'), data: part.isThere ? null : { text: NO_WORKER } }];
      case 'waiting':
        return beginWait(part.wait);
      case 'wait_ended':
        return endWait(part);
      case 'held_up':
        heldUpBy = part.by;
        return [];
      case 'ended':
        return [
          ...endTexts(),
          ...endCalls(part.end),
          ...closeStep(),
          ...(step === undefined ? [] : [FINISH_STEP]),
          ...endOf(part.end, isNewer),
        ];
      default:
        return [];
    }
  }

  function idOf(call: string): string {
    return `${run}:${call}`;
  }

  function toolIdOf(call: string): string {
    const n = clientCalls.get(call);
    return n === undefined ? idOf(call) : approvalId({ run, call, n });
  }

  /** A page that sees its results at the end of the last step sends them, so another step ends a reply that has none. */
  function closeStep(): UiChunk[] {
    const isLast = [...clientCalls.keys()].some((call) => modelCallOf(call) === step);
    if (!isLast) return [];
    step = 'end';
    return [...endTexts(), FINISH_STEP, { type: 'start-step' }];
  }

  /** Starts a step with the first part of a model call. */
  function stepOf(call: string): UiChunk[] {
    shown.add(call);
    return modelCallOf(call) === step ? [] : beginStep(call);
  }

  /** `between`: chunks that stand between the steps. */
  function beginStep(call: string, between: UiChunk[] = []): UiChunk[] {
    const end = step === undefined ? [] : [...endTexts(), FINISH_STEP];
    step = modelCallOf(call);
    return [...end, ...between, { type: 'start-step' }];
  }

  function steer({ call, texts: said }: Part<'said'>): UiChunk[] {
    messages.add(call);
    const between = said.map((text, index): UiChunk => {
      return { type: 'steering-message', id: `${idOf(call)}.${index + 1}`, parts: [{ type: 'text', text }] };
    });
    return beginStep(call, between);
  }

  /** A page can remove the parts of the latest step, and nothing else. */
  function takeBack(call: string): UiChunk[] {
    if (!shown.has(call) && !messages.has(call)) return [];
    if (!isNewer || call !== step) throw new TextWithdrawn();
    for (const calls of [shown, tools, approvals, clientCalls, rejected, waits]) {
      for (const one of calls.keys()) if (modelCallOf(one) === step) calls.delete(one);
    }
    texts.clear();
    return [{ type: 'reset-step' }];
  }

  function write(type: TextType, id: string, delta: string): UiChunk[] {
    const begun: UiChunk[] = texts.has(type) ? [] : [{ type: `${type}-start`, id }];
    texts.set(type, id);
    return [...begun, { type: `${type}-delta`, id, delta }];
  }

  function endTexts(): UiChunk[] {
    const ends = [...texts].map(([type, id]): UiChunk => ({ type: `${type}-end`, id }));
    texts.clear();
    return ends;
  }

  function beginTool({ call: id, action: { tool, toolInput }, client }: Part<'tool_call'>): UiChunk {
    if (client !== undefined) clientCalls.set(id, client);
    const input: ToolInput = {
      toolCallId: toolIdOf(id),
      toolName: tool,
      input: toolInput,
      ...(client === undefined && OF_AGENT),
    };
    tools.set(id, input);
    return { type: 'tool-input-available', ...input };
  }

  function endTool({ call: id, observation }: Part<'tool_result'>): UiChunk[] {
    const toolCallId = toolIdOf(id);
    if (rejected.has(id)) return [{ type: 'tool-output-denied', toolCallId }];
    const isOfPage = answered.some(({ call, n }) => call === id && n === clientCalls.get(id));
    return isOfPage ? [] : [{ type: 'tool-output-available', toolCallId, output: observation }];
  }

  /** The page shows a call without a result as one that is under way, and a wait without an end as one that a person can answer. */
  function endCalls({ status }: RunEnd): UiChunk[] {
    const ends = [...tools.keys()].map((call): UiChunk => {
      const errorText = status === 'cancelled' ? 'The run was cancelled.' : 'The run ended before the call.';
      return {
        type: 'tool-output-error',
        toolCallId: toolIdOf(call),
        errorText,
        ...(clientCalls.has(call) ? {} : OF_AGENT),
      };
    });
    const closed = [...waits].map((id): UiChunk => ({ type: 'data-waiting', id: idOf(id), data: null }));
    tools.clear();
    waits.clear();
    return [...ends, ...closed];
  }

  function beginWait(of: WaitingCall): UiChunk[] {
    const { call: id, n } = of;
    if (of.reason === 'client_tool' && tools.has(id)) return [];
    if (of.reason === 'approval' && tools.has(id) && mayDecide) {
      const asked = approvalId({ run, call: id, n });
      approvals.set(id, asked);
      return [{ type: 'tool-approval-request', toolCallId: idOf(id), approvalId: asked }];
    }
    waits.add(id);
    return [{ type: 'data-waiting', id: idOf(id), data: waitingData(run, of, mayDecide) }];
  }

  function endWait({ call: id, decision }: Part<'wait_ended'>): UiChunk[] {
    if (waits.delete(id)) return [{ type: 'data-waiting', id: idOf(id), data: null }];
    const [input, asked] = [tools.get(id), approvals.get(id)];
    if (!approvals.delete(id) || input === undefined || asked === undefined) return [];
    if (decision === 'reject') rejected.add(id);
    if (isNewer && (decision === 'approve' || decision === 'reject')) {
      return [{ type: 'tool-approval-response', approvalId: asked, approved: decision === 'approve' }];
    }
    return decision === 'approve' ? [{ type: 'tool-input-available', ...input }] : [];
  }
}

type Part<T extends RunPart['type']> = Extract<RunPart, { type: T }>;

function modelCallOf(call: string): string {
  return call.split('.')[0] ?? '';
}

const FINISH_STEP: UiChunk = { type: 'finish-step' };
/** Marks of a call that the page does not carry out. */
const OF_AGENT = { dynamic: true, providerExecuted: true } as const;

function waitingData(run: string, wait: WaitingCall, mayDecide: boolean): WaitingData {
  const { call, n, tool, toolInput, reason, error, note } = wait;
  return {
    run,
    call,
    n,
    tool,
    toolInput,
    reason,
    text: mayDecide || reason !== 'approval' ? reasonText(wait) : 'waits for approval',
    error: error?.message,
    note,
    decisions: mayDecide ? possibleDecisions(wait).map(({ type }) => type) : [],
  };
}

/** `useChat` of the AI SDK 6 and 7 passes over an `abort`: a cancelled run has a reason that no other end has. */
function endOf({ status, error, truncated }: RunEnd, isNewer: boolean): UiChunk[] {
  if (status === 'failed') return [{ type: 'error', errorText: failureText(error) }];
  const cut = truncated === 'content_filter' ? 'content-filter' : (truncated ?? 'stop');
  const cancelled = isNewer ? 'interrupted' : 'other';
  const finishReason = status === 'cancelled' ? cancelled : status === 'stopped' ? 'length' : cut;
  return [{ type: 'finish', finishReason, messageMetadata: { status } }];
}
