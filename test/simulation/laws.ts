import type { RunEvent } from '../../agent/run/events.ts';
import type { RunReport } from '../../client/index.ts';
import type { Word } from './operator.ts';
import type { VirtualServer } from './server.ts';
import type { World } from './world.ts';

/** A run of the simulation as everybody saw it. */
export interface SeenRun {
  id: string;
  report: RunReport;
  /** From history, in order. */
  events: RunEvent[];
}

/** Sentences on what is wrong; none if all laws hold. */
export function brokenLaws(
  world: World,
  server: VirtualServer,
  runs: readonly SeenRun[],
  words: readonly Word[],
): string[] {
  return [
    ...effectsOnce(world, words),
    ...approvedInputs(world, words),
    ...toldIsRecorded(world, runs),
    ...smallPayloads(server),
  ];
}

/** A `once` tool takes effect at most once for each key. Another effect of the same call needs a person's retry. */
function effectsOnce({ effects }: World, words: readonly Word[]): string[] {
  const problems: string[] = [];
  const seen = new Map<string, number>();
  for (const { tool, key, call } of effects) {
    if (tool !== 'mail' && tool !== 'order') continue;
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    if (times > 1 && !words.some(({ type, outcome }) => type === 'retry' && outcome !== 'refused'))
      problems.push(`${tool} of call ${call} took effect ${times} times with the key ${key}`);
  }
  return problems;
}

/** `pay` runs with an input that a person has approved. */
function approvedInputs({ effects }: World, words: readonly Word[]): string[] {
  return effects.flatMap((effect) => {
    if (effect.tool !== 'pay') return [];
    const isApproved = words.some(({ type, outcome, wait, data, at }) => {
      if ((type !== 'approve' && type !== 'retry') || outcome === 'refused' || at > effect.at) return false;
      const { input, remember } = (data ?? {}) as { input?: { n: number }; remember?: string };
      const approved = input ?? (wait?.toolInput as { n?: number });
      return wait?.tool === 'pay' && (approved?.n === effect.n || remember === 'tool');
    });
    return isApproved ? [] : [`pay ${effect.n} of call ${effect.call} ran, and nobody approved that input`];
  });
}

/** The last request of a run shows the model the observations that its report has. */
function toldIsRecorded({ asked }: World, runs: readonly SeenRun[]): string[] {
  return runs.flatMap(({ id, report, events }) => {
    const runIds = new Set(events.flatMap((event) => ('runId' in event ? [event.runId] : [])));
    const last = asked.filter(({ runId }) => runIds.has(runId)).at(-1);
    if (last === undefined || report.status !== 'completed') return [];
    const { messages = [] } = last.request.prompt as { messages?: { role: string; content: unknown }[] };
    const told = messages.filter(({ role }) => role === 'tool').map(({ content }) => text(content));
    const recorded = report.intermediateSteps
      .filter(({ call }) => Number(call.split('.')[0]) < Number(last.step))
      .map(({ observation }) => text(observation));
    const at = recorded.findIndex((one, index) => one !== told[index]);
    if (at < 0 && told.length === recorded.length) return [];
    return [
      `${id}: at step ${last.step} the model was told ${told.length} observations, and ${recorded.length} are recorded; the first that differs: ${String(told[at])} / ${String(recorded[at])}`,
    ];
  });
}

function text(value: unknown): string {
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  return plain === '' ? '[no output]' : plain;
}

const MOST_BYTES = 2_000_000;

function smallPayloads({ executions }: VirtualServer): string[] {
  return executions.flatMap((execution) =>
    execution.historyBytes > MOST_BYTES * 10
      ? [`${execution.id}: a history of ${execution.historyBytes} bytes`]
      : [],
  );
}
