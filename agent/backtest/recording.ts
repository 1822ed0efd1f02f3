import type { RunEvent, RunStep } from '../run/events.ts';
import { canonicalJson } from '../values/json-object.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import { presetEnd } from '../rules/call-rules.ts';
import { jsonBytes } from '../values/digest.ts';
import type { Json } from '../values/vocabulary.ts';
import { type InputSchemas, inputInOneForm } from './same-input.ts';
import { type DecidedCall, type RunOutline, addToOutline, emptyOutline } from './outline.ts';

/** A recorded run as calls of a run like it are answered from. */
export interface Recording {
  outline: RunOutline;
  /** Calls of one tool with one input, in the order in which they were decided on. */
  calls: Map<string, RecordedCall[]>;
  byId: Map<string, RecordedCall>;
  /** Schemas of the run's tools: calls whose inputs a tool takes as the same are the same. */
  schemas: InputSchemas;
  /** Approximate size of the observations. */
  bytes: number;
}

interface RecordedCall {
  call: string;
  /** undefined while the call has not ended, and for good where the run ended before it. */
  observation: Json | undefined;
  /** The only call of its turn, of a tool whose result would have been the run's. */
  direct: boolean;
}

/** An observation as the model saw it in the recorded run. */
export interface RecordedObservation {
  observation: Json;
  /** The observation is the tool's own, as far as that mattered to the run. */
  fromTool: boolean;
  /** The recording has exactly one call of this tool with this input. */
  only: boolean;
}

export function emptyRecording(): Recording {
  return { outline: emptyOutline(), calls: new Map(), byId: new Map(), schemas: new Map(), bytes: 0 };
}

/** Adds one event of the run to a recording; `manifest` is the run's, which may be missing if the run made no call. */
export function addToRecording(
  recording: Recording,
  event: RunEvent,
  manifest: AgentManifest | undefined,
): void {
  addToOutline(recording.outline, event);
  if (event.type === 'model_ended' && manifest !== undefined) addDecided(recording, event, manifest);
  if (event.type === 'step') addObservation(recording, event.step);
  // A fork may have changed observations: the model saw the edited ones.
  for (const { call, observation } of event.type === 'restarted' ? (event.edits ?? []) : []) {
    const recorded = recording.byId.get(call);
    if (recorded !== undefined) recorded.observation = observation;
  }
}

/**
 * The observation of the `nth` call (from 0) of a tool with an input, or of the last there is; undefined where the run made
 * no such call that ended.
 */
export function findRecorded(
  { calls, outline, schemas }: Recording,
  call: DecidedCall,
  nth: number,
): RecordedObservation | undefined {
  const ended = (calls.get(callKey(call, schemas)) ?? []).filter(
    ({ observation }) => observation !== undefined,
  );
  const found = ended[nth] ?? ended.at(-1);
  if (found?.observation === undefined) return undefined;
  // A run continues after such a call only if its observation was not a result.
  const wentOn = outline.ending.stopReason !== 'return_direct' || !isOfLastTurn(outline, found.call);
  return {
    observation: found.observation,
    fromTool: !(found.direct && wentOn),
    only: ended.length === 1,
  };
}

/** Key of a call by tool and input, for looking up and for counting calls. */
export function callKey({ tool, toolInput }: DecidedCall, schemas?: InputSchemas): string {
  return canonicalJson([tool, inputInOneForm(toolInput, schemas?.get(tool))]);
}

/** Adds the calls of a turn. Skips calls that were answered without a tool: the tool may exist by now. */
function addDecided(
  recording: Recording,
  { call, turn: { decision } }: Extract<RunEvent, { type: 'model_ended' }>,
  { tools }: AgentManifest,
): void {
  if (decision.type !== 'act') return;
  recording.schemas = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
  const { actions } = decision;
  actions.forEach((action, index) => {
    if (presetEnd(action, tools) !== undefined) return;
    const returnDirect = tools.find(({ name }) => name === action.tool)?.returnDirect === true;
    const direct = returnDirect && actions.length === 1;
    const recorded = { call: `${call}.${index + 1}`, observation: undefined, direct };
    recording.byId.set(recorded.call, recorded);
    answersTo(recording, action, recorded);
  });
}

function addObservation(recording: Recording, { call, action, observation }: RunStep): void {
  const recorded = recording.byId.get(call);
  if (recorded === undefined) return;
  recorded.observation = observation;
  // A person may have given the call another input than the model did.
  answersTo(recording, action, recorded);
  recording.bytes += jsonBytes([action.toolInput, observation]);
}

function answersTo({ calls, schemas }: Recording, call: DecidedCall, recorded: RecordedCall): void {
  const key = callKey(call, schemas);
  const same = calls.get(key) ?? [];
  if (!same.includes(recorded)) calls.set(key, [...same, recorded]);
}

function isOfLastTurn({ ending }: RunOutline, call: string): boolean {
  return call.startsWith(`${ending.iterations}.`);
}
