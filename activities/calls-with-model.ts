import { type MadeCall, type TurnDecision, activityId } from '../agent/calls.ts';
import { limits } from '../agent/limits.ts';
import type { AgentManifest, ToolManifest } from '../agent/manifest.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Tool } from '../tools/tool.ts';
import type { Attempt } from './attempt.ts';
import type { Observations } from './observations.ts';
import { runInline } from './run-inline.ts';
import { deathsInARow } from './worker-deaths.ts';

/** Whose turn it is. */
export interface TurnPlace {
  manifest: AgentManifest;
  scope: number;
  /** `3`, of the model call. */
  step: string;
  /** First run of the lineage. */
  root: string;
}

/**
 * Makes the calls of inline tools that a model has just decided on, side by side, in its own activity: such a step is one
 * activity and nothing else. Only tools without effects, because with this activity the decision may be lost.
 */
export async function callsWithModel(
  tools: ReadonlyMap<string, Tool>,
  decision: TurnDecision,
  { manifest, scope, step, root }: TurnPlace,
  attempt: Attempt,
  observations: Observations,
): Promise<MadeCall[] | undefined> {
  if (decision.type !== 'act') return undefined;
  // What has killed a worker may have been one of them: from then on each has an activity that counts it.
  const mayRun = deathsInARow(attempt.context.info.attempt, attempt.heartbeat.record) === 0;
  const calls = decision.actions.map(async ({ tool: name, toolInput, observation, approval }, index) => {
    const pinned = manifest.tools.find((tool) => tool.name === name);
    if (pinned === undefined || !isMadeHere(pinned)) return [];
    if (observation !== undefined || approval !== undefined) return [];
    const call = `${step}.${index + 1}`;
    const id = activityId(scope, call, 0);
    const tool = tools.get(name);
    if (tool === undefined || !mayRun) return [{ id, ms: 0 }];
    const { retry, timeoutMs, maxOutputChars } = pinned;
    const meta = { root, scope, call, retry, timeoutMs, maxOutputChars };
    const { context, signal } = attempt;
    return [await runInline(tool, toolInput, { id, meta, context, signal }, observations)];
  });
  // Its time-out is one of the model's silence.
  attempt.clock.restart(manifest.params.requestTimeoutMs + limits.inlineMs);
  const made = bounded((await Promise.all(calls)).flat());
  return made.length === 0 ? undefined : made;
}

/** Whether the calls of a tool are made with the model call that decides on them. */
function isMadeHere({ inline, effects }: ToolManifest): boolean {
  return inline === true && effects === 'none';
}

/** They are recorded with the reply: what is too much beside it is left to activities. */
function bounded(made: MadeCall[]): MadeCall[] {
  let room = limits.inlineTurnBytes;
  return made.map((call) => {
    room -= bytesOf(call.result?.output);
    return room >= 0 ? call : { id: call.id, ms: call.ms };
  });
}

function bytesOf(output: Json | undefined): number {
  return output === undefined ? 0 : utf8Length(JSON.stringify(output));
}
