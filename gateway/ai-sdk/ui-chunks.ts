import { EXCEPTION_TOOL, type Json } from '../../agent/values/vocabulary.ts';
import { fittingDecisions } from '../../agent/rules/decisions.ts';
import { type WaitingCall, reasonText, stateOf } from '../../agent/rules/waiting.ts';
import { failureText } from '../access/failure-text.ts';
import { NO_WORKER } from '../replies/worker-parts.ts';
import type { RunEnd, RunPart } from '../replies/run-parts.ts';
import { type Approval, approvalId } from '../start/approvals.ts';

/** A chunk of the AI SDK's UI message stream, of those that a run needs. */
export type UiChunk =
  | { type: 'start'; messageId: string; messageMetadata: { run: string } }
  | { type: 'start-step' | 'finish-step' }
  | { type: `${TextType}-start` | `${TextType}-end`; id: string }
  | { type: `${TextType}-delta`; id: string; delta: string }
  | ({ type: 'tool-input-available' } & ToolInput)
  | { type: 'tool-approval-request'; toolCallId: string; approvalId: string }
  | { type: 'tool-output-available'; toolCallId: string; output: Json; preliminary?: true }
  | { type: 'tool-output-denied'; toolCallId: string }
  | {
      type: 'tool-output-error';
      toolCallId: string;
      errorText: string;
      dynamic?: true;
      providerExecuted?: true;
    }
  | { type: 'data-waiting'; id: string; data: WaitingData | null }
  /** No worker is there, until null. */
  | { type: 'data-worker'; id: string; data: { text: string } | null }
  | { type: 'error'; errorText: string }
  | {
      type: 'finish';
      finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other';
      messageMetadata?: { status: RunEnd['status'] };
    };

type TextType = 'text' | 'reasoning';

interface ToolInput {
  toolCallId: string;
  toolName: string;
  input: Json;
  /** The page has no types for the tools of the agent, and does not run them. Left out for a tool of the page. */
  dynamic?: true;
  providerExecuted?: true;
}

/** A wait that `POST /runs/RUN/decisions` ends. The protocol has a form of its own for approvals of the run's own calls. */
export interface WaitingData extends Pick<WaitingCall, 'call' | 'tool' | 'toolInput' | 'reason'> {
  run: string;
  /** The `wait` of the decision. */
  n: number;
  /** A sentence without its subject: `failed`. */
  text: string;
  error?: string | undefined;
  note?: Json | undefined;
  /** Types of the decisions that fit. Empty for a caller who may not decide. */
  decisions: string[];
}

/** The text was replaced, or dropped by a restart. The protocol cannot take text back. */
export class TextWithdrawn extends Error {}

export interface UiChunks {
  /** The chunks of a part. Throws TextWithdrawn. */
  next(part: RunPart): UiChunk[];
  /** True if every call that is under way waits for approval, or for its result from the page. */
  isWaitingForPage(): boolean;
}

/**
 * Makes the chunks of a run's reply, which is one message. `answered`: waits whose answer the page has. `mayDecide`: the caller may answer approvals. For another one an approval is a
 * wait that somebody else ends, and the stream stays open for it.
 */
export function createUiChunks(
  run: string,
  { mayDecide, answered = [] }: { mayDecide: boolean; answered?: readonly Approval[] | undefined },
): UiChunks {
  /** The texts that are being written, in their order. */
  const texts = new Map<TextType, string>();
  const tools = new Map<string, ToolInput>();
  const approvals = new Set<string>();
  /** Calls of the page's tools, with the number of their wait. */
  const clientCalls = new Map<string, number>();
  const rejected = new Set<string>();
  const waits = new Set<string>();
  /** Calls with chunks. */
  const shown = new Set<string>();
  let step: string | undefined;

  return {
    next,
    isWaitingForPage: () =>
      tools.size > 0 && [...tools.keys()].every((call) => approvals.has(call) || clientCalls.has(call)),
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
        if (shown.has(part.call)) throw new TextWithdrawn();
        return [];
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
      case 'ended':
        return [
          ...endTexts(),
          ...endCalls(part.end),
          ...closeStep(),
          ...(step === undefined ? [] : [FINISH_STEP]),
          ...endOf(part.end),
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
    const isLast = [...clientCalls.keys()].some((call) => call.split('.')[0] === step);
    if (!isLast) return [];
    step = 'end';
    return [...endTexts(), FINISH_STEP, { type: 'start-step' }];
  }

  /** Begins a step with the first part of a model call. */
  function stepOf(call: string): UiChunk[] {
    shown.add(call);
    const [own = ''] = call.split('.');
    if (own === step) return [];
    const end = step === undefined ? [] : [...endTexts(), FINISH_STEP];
    step = own;
    return [...end, { type: 'start-step' }];
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
      approvals.add(id);
      const asked = approvalId({ run, call: id, n });
      return [{ type: 'tool-approval-request', toolCallId: idOf(id), approvalId: asked }];
    }
    waits.add(id);
    return [{ type: 'data-waiting', id: idOf(id), data: waitingData(run, of, mayDecide) }];
  }

  function endWait({ call: id, decision }: Part<'wait_ended'>): UiChunk[] {
    if (waits.delete(id)) return [{ type: 'data-waiting', id: idOf(id), data: null }];
    const input = tools.get(id);
    if (!approvals.delete(id) || input === undefined) return [];
    if (decision === 'reject') rejected.add(id);
    return decision === 'approve' ? [{ type: 'tool-input-available', ...input }] : [];
  }
}

type Part<T extends RunPart['type']> = Extract<RunPart, { type: T }>;

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
    decisions: mayDecide ? fittingDecisions(stateOf(wait)) : [],
  };
}

/** `useChat` of the AI SDK 6 and 7 passes over an `abort`: a cancelled run has a reason that no other end has. */
function endOf({ status, error, truncated }: RunEnd): UiChunk[] {
  if (status === 'failed') return [{ type: 'error', errorText: failureText(error) }];
  const cut = truncated === 'content_filter' ? 'content-filter' : (truncated ?? 'stop');
  const finishReason = status === 'cancelled' ? 'other' : status === 'stopped' ? 'length' : cut;
  return [{ type: 'finish', finishReason, messageMetadata: { status } }];
}
