import { readDecision } from '../../activities/model/read-decision.ts';
import { type ModelTurn, type PlannedAction, type TurnDecision, scopeOf } from '../../agent/calls/calls.ts';
import type { Repeat } from '../../agent/calls/for-next-call.ts';
import { replyEntry } from '../../agent/calls/reply-entry.ts';
import type { Call } from '../../agent/run/call-state.ts';
import type { RunStep } from '../../agent/run/events.ts';
import type { RunCalls } from '../../agent/run/run-calls.ts';
import type { AgentKind, PromptContext } from '../../agent/definition/kind.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { Entry, LateEntry, QuestionEntry, StepEntry } from '../../agent/transcript/entries.ts';
import { ticketText } from '../../agent/observation/observations.ts';
import { canonicalJson } from '../../agent/values/json-object.ts';
import { renderRequest } from '../../agent/transcript/request.ts';
import { shortenOldest } from '../../agent/transcript/shorten.ts';
import type { ExportedModelCall, RunExport } from '../../client/export/run-export.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { type RunDifference, decisionText, requestText } from './run-difference.ts';

/** Today's agent, and the recorded run that it replays. */
export interface Replay {
  loaded: LoadedConfig;
  kind: AgentKind;
  manifest: AgentManifest;
  scope: number;
  question: Omit<QuestionEntry, 'type'>;
  record: RunExport;
}

/** Differences between today's requests and the recorded ones: only if the run was exported with its prompts. */
export function requestDifferences(
  { kind, record }: Replay,
  { call, turn }: ExportedModelCall,
  context: PromptContext,
  render = renderRequest,
): RunDifference[] {
  const sent = record.requests?.findLast((asked) => asked.call === call && asked.exact);
  if (sent === undefined) return [];
  const shown = turn.shortened === true ? (shortenOldest(context) ?? context) : context;
  const [before, after] = [requestText(sent.request), requestText(render(kind, shown))];
  return before === after ? [] : [{ step: call, what: 'request', before, after }];
}

/**
 * A text that was cut at a stop string was complete, even if the server reported otherwise: the string is not recorded.
 */
export function readRecorded(
  { loaded, kind }: Replay,
  context: PromptContext,
  turn: ModelTurn,
  repeat: Repeat | undefined,
): ReturnType<typeof readDecision> {
  const { text, toolCalls = [], finishReason, decision } = turn;
  const read = (reason: string) => {
    const said = readDecision(loaded, kind, context, { text, toolCalls, finishReason: reason }, repeat);
    return { ...said, decision: withChanges(said.decision, turn) };
  };
  const asSaid = read(finishReason);
  if (finishReason !== 'length' || decisionText(asSaid.decision) === decisionText(decision)) return asSaid;
  const asComplete = read('stop');
  return decisionText(asComplete.decision) === decisionText(decision) ? asComplete : asSaid;
}

/** Hooks are not called: a call that `beforeTool` changed is as it was recorded. */
function withChanges(read: TurnDecision, { decision, changes = [] }: ModelTurn): TurnDecision {
  if (read.type !== 'act' || decision.type !== 'act') return read;
  const actions = read.actions.map((action, index) => {
    const isChanged = changes.some(({ call }) => call?.endsWith(`.${index + 1}`));
    const recorded = decision.actions[index];
    return isChanged && recorded?.tool === action.tool ? recorded : action;
  });
  return { type: 'act', actions };
}

/** A turn's entries with the observations of then; undefined where a call has none, for the run had ended in it. */
export function takeTurn(
  { manifest, record, scope }: Replay,
  calls: RunCalls,
  { call, turn }: ExportedModelCall,
  actions: PlannedAction[],
): Entry[] | undefined {
  const own = scope === 0 ? call : call.slice(call.indexOf('/') + 1);
  const steps: StepEntry[] = [];
  for (const index of actions.keys()) {
    const id = `${call}.${index + 1}`;
    const planned = calls.get(id);
    const recorded = record.run.intermediateSteps.find((step) => step.call === id);
    const isLater = planned?.tool?.background === true && planned.end === undefined;
    const taken = isLater
      ? ticketStep(planned, `${own}.${index + 1}`)
      : planned && takeStep(planned, recorded);
    if (taken === undefined) return undefined;
    steps.push({ ...taken, call: `${own}.${index + 1}` });
  }
  const reply = replyEntry(turn, own, manifest);
  return reply === undefined ? steps : [reply, ...steps];
}

function ticketStep({ action, planned }: Call, call: string): Omit<StepEntry, 'call'> {
  const { toolCallId } = planned;
  return { type: 'step', action, observation: ticketText(call), toolCallId, ticket: true };
}

/** The message with the result of a background call, whose ticket is among the entries; none for other calls. */
export function lateEntries({ scope }: Replay, entries: readonly Entry[], step: RunStep): LateEntry[] {
  const call = step.call.slice(step.call.lastIndexOf('/') + 1);
  const ticket = entries.find(
    (entry) => entry.type === 'step' && entry.call === call && entry.ticket === true,
  );
  const isKnown = entries.some((entry) => entry.type === 'late' && entry.call === call);
  if (ticket?.type !== 'step' || isKnown || scopeOf(step.call) !== scope) return [];
  const { tool, toolInput } = step.action;
  const isPersons = canonicalJson(toolInput) !== canonicalJson(ticket.action.toolInput);
  return [
    {
      type: 'late',
      call,
      tool,
      observation: step.observation,
      ...(isPersons && { personsInput: toolInput }),
    },
  ];
}

function takeStep(
  { planned, action, end }: Call,
  recorded: RunStep | undefined,
): Omit<StepEntry, 'call'> | undefined {
  const observation = end?.observation ?? recorded?.observation;
  if (observation === undefined) return undefined;
  const { toolInput, toolCallId } = planned;
  // A person may have given the call another input.
  const input = end === undefined && recorded !== undefined ? recorded.action.toolInput : toolInput;
  const isPersons = canonicalJson(input) !== canonicalJson(toolInput);
  const step = { type: 'step', action: { ...action, toolInput: input }, observation, toolCallId } as const;
  return isPersons ? { ...step, personsInput: true } : step;
}

/** The answer that a tool with `returnDirect` makes of its turn; undefined where the model is asked again. */
export function directAnswer(
  { manifest, record, scope }: Replay,
  turn: Entry[],
  isLast: boolean,
): string | undefined {
  const steps = turn.filter((entry) => entry.type === 'step');
  const [only] = steps;
  if (only === undefined || steps.length > 1) return undefined;
  const { tool } = only.action;
  const isDirect = (agent: AgentManifest | null | undefined) =>
    agent?.tools.find(({ name }) => name === tool)?.returnDirect === true;
  if (!isDirect(manifest)) return undefined;
  // If the tool returned directly then and the run continued, its observation was not a result.
  const before = record.agents.find((agent) => agent.scope === scope)?.manifest;
  if (isDirect(before) && !(isLast && record.run.stopReason === 'return_direct')) return undefined;
  return `the answer ${JSON.stringify(only.observation)}`;
}
