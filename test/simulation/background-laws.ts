import { type TicketOf, ticketIsCancelled, ticketIsOver } from '../../agent/background/background-texts.ts';
import { lateResult, ticketText } from '../../agent/observation/observations.ts';
import type { Law, Seen } from './laws.ts';
import { isByModel } from './outside-laws.ts';
import type { RunLife } from './run-lives.ts';
import { type Asked, COMPACTION } from './world-model.ts';
import type { World } from './world.ts';

/** Laws about calls that run in the background. */
export const backgroundLaws: readonly Law[] = [
  eachResultIsShownOnce,
  overIsFollowedByTheResult,
  cancelledIsRecorded,
  cancelledByTheModelBeginsNothing,
  childrenEndWithTheirRun,
];

const textOf = (prompt: unknown) => JSON.stringify(prompt);

/** Returns true if the request shows the ticket of the call, and the call's result is a message. */
export function isTicketShown(prompt: Asked['request']['prompt'], call: string): boolean {
  return textOf(prompt).includes(ticketText(call));
}

const TICKET = new RegExp(ticketText('TICKET').replace('TICKET', String.raw`(\d+\.\d+)`), 'gu');
const RESULT = new RegExp(
  lateResult('TICKET', '', '', undefined)
    .split(' (')[0]
    ?.replace('TICKET', String.raw`(\d+\.\d+)`) ?? '',
  'gu',
);

/** No request shows the result of a background call twice, and the one that is answered shows the result of each ticket. */
function eachResultIsShownOnce({ world, runs }: Seen): string[] {
  if (world.background.length === 0) return [];
  return runs.flatMap((life) => {
    const runIds = new Set(life.events.flatMap((event) => ('runId' in event ? [event.runId] : [])));
    const asked = world.asked.filter(({ runId }) => runIds.has(runId));
    const twice = asked.flatMap(({ step, request }) => {
      const results = found(RESULT, request.prompt);
      return results
        .filter((call, at) => results.indexOf(call) < at)
        .map((call) => `${life.id}: at step ${step} the model was shown the result of ${call} twice`);
    });
    const last = asked.at(-1);
    // After a reset, the last request may be one of another run.
    const isOfAnswer = Number(last?.step) === life.report.iterations;
    if (last === undefined || !isOfAnswer || !isAnswered(life) || isLimited(world, life)) return twice;
    const results = found(RESULT, last.request.prompt);
    const lost = found(TICKET, last.request.prompt).filter((call) => !results.includes(call));
    return [
      ...twice,
      ...lost.map((call) => `${life.id}: the model answered without the result of background call ${call}`),
    ];
  });
}

const OVER = sentenceOf(ticketIsOver);
const CANCELLED = sentenceOf(ticketIsCancelled);

/** Matches the sentence, with the ticket, in a text or in a prompt. */
function sentenceOf(sentence: (of: TicketOf) => string): RegExp {
  const [before, after = ''] = sentence({ ticket: 'TICKET', tool: 'TOOL' }).split('TOOL');
  const [start] = after.split('.');
  return new RegExp(
    `${before}TOOL${start}`
      .replace('TICKET', String.raw`(\d+\.\d+)`)
      .replace(/\(TOOL\)/u, String.raw`\(\w+\)`),
    'gu',
  );
}

/** A model that has heard that a background call is over has its result in the same prompt. A summary is of what was there before. */
function overIsFollowedByTheResult({ world }: Seen): string[] {
  return world.asked.flatMap(({ runId, step, request }) => {
    if (step.endsWith(COMPACTION)) return [];
    const results = found(RESULT, request.prompt);
    return found(OVER, request.prompt)
      .filter((call) => !results.includes(call))
      .map((call) => `${runId}: at step ${step} call ${call} was over, and its result was not there`);
  });
}

/** The record of a run has the cancellation of a call of which the model was told that it is being cancelled. */
function cancelledIsRecorded({ runs }: Seen): string[] {
  return runs.flatMap(({ id, events }) => {
    const cancelled = new Set(
      events.flatMap((event) =>
        event.type === 'decided' && event.decision.type === 'cancelCall' ? [event.call] : [],
      ),
    );
    return events
      .flatMap((event) => (event.type === 'step' ? found(CANCELLED, event.step.observation) : []))
      .filter((call) => !cancelled.has(call))
      .map((call) => `${id}: call ${call} was cancelled, and the record does not say so`);
  });
}

/** A call that the model has cancelled is not scheduled again, unless a person says so about a call in doubt. */
function cancelledByTheModelBeginsNothing({ runs }: Seen): string[] {
  return runs.flatMap(({ id, events }) => {
    const cancelled = new Set<string>();
    return events.flatMap((event) => {
      if (event.type === 'restarted') cancelled.clear();
      if (event.type === 'waiting') cancelled.delete(event.wait.call);
      if (event.type === 'decided' && isByModel(event)) cancelled.add(event.call);
      return event.type === 'tool_started' && cancelled.has(event.call)
        ? [`${id}: the model had cancelled call ${event.call}, and it began again`]
        : [];
    });
  });
}

function found(pattern: RegExp, prompt: unknown): string[] {
  return Array.from(textOf(prompt).matchAll(pattern), ([, call = '']) => call);
}

/** The model gave the answer, and not a person or a limit. */
function isAnswered({ report, events }: RunLife): boolean {
  const last = events.findLast(({ type }) => type === 'model_ended' || type === 'decided');
  return (
    report.stopReason === 'final_answer' &&
    last?.type === 'model_ended' &&
    last.turn.decision.type === 'finish'
  );
}

/** The run may have reached a limit with the answer: then the model is not asked again. */
function isLimited({ configs, timeLimitMs }: World, { report }: RunLife): boolean {
  const { maxIterations = null, budget } = configs[0]?.agents.find(({ name }) => name === 'top') ?? {};
  const isLast = maxIterations !== null && (report.iterations ?? 0) >= maxIterations;
  return isLast || timeLimitMs !== undefined || budget !== undefined;
}

/** The run of a sub-agent is over when the run of its caller is over. */
function childrenEndWithTheirRun({ server }: Seen): string[] {
  return server.executions.flatMap(({ id, closedAt = Infinity, request: { parent } }) => {
    const end = parent?.execution.end?.type;
    // The server asks the child of a terminated run to end.
    if (parent === undefined || end === undefined || end === 'terminated') return [];
    const over = parent.execution.closedAt ?? Infinity;
    return closedAt > over ? [`${id} ended ${closedAt - over} ms after the run of its caller`] : [];
  });
}
