import { resultText } from '../../agent/kinds/observation-text.ts';
import { structuredChat } from '../../agent/kinds/structured-chat.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { shortenedObservation, ticketText, withPersonsInput } from '../../agent/observation/observations.ts';
import { isTicketShown } from './background-laws.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import type { Law } from './laws.ts';
import type { RunLife } from './run-lives.ts';
import { ADDED_BY_HOOK } from './random-options.ts';
import { type Asked, COMPACTION, HANDOFF } from './world-model.ts';
import type { World } from './world.ts';

/** Each request of a run shows the model the observations that its report has: after a summary, those of the turns that it keeps, and later ones. */
export const toldIsRecorded: Law = ({ world, runs }) =>
  requestsOf(world, runs).flatMap(({ life: { id, report }, asked, from, to }) => {
    const { step, request } = asked;
    const shown = isSecondTry(world, asked) ? shortenedIn(request.prompt) : (one: string) => one;
    const results = world.hasToolMessages ? resultsIn(request.prompt, step.endsWith(COMPACTION)) : undefined;
    const recorded = report.intermediateSteps
      // The model is told of a reply that cannot be read in a message of its own.
      .filter(({ call, action }) => action.tool !== '_Exception' && from <= turnOf(call) && turnOf(call) < to)
      .map(({ call, action, observation }) => {
        const isLater = isTicketShown(request.prompt, call);
        const native = isLater ? ticketText(call) : text(resultText(observation));
        const plain = isLater || results !== undefined ? native : text(observation);
        const edited = isLater ? plain : withPersonsInput(action.toolInput, plain);
        return { plain: shown(plain), edited: shown(edited), native: shown(native) };
      });
    const plain = recorded.map((one) => one.plain);
    const told = results ?? toldInText(request.prompt, recorded);
    // A person's input is told with the observation: the reply shows the input that the model wrote.
    const at = recorded.findIndex((one, index) => told[index] !== one.plain && told[index] !== one.edited);
    if (at < 0 && told.length === recorded.length) return [];
    return [
      `${id}: at step ${step} the model was told ${told.length} observations, and ${recorded.length} are recorded; the first that differs: ${told[at]} / ${plain[at]}`,
    ];
  });

/** A request shows the last summary of the run, no earlier one, and no turn that the summary stands for. */
export const summariesAreShown: Law = ({ world, runs }) =>
  requestsOf(world, runs).flatMap(
    ({ life: { id, report }, asked: { step, request }, summaries, from, to }) => {
      const prompt = JSON.stringify(request.prompt);
      const shown = summaries.filter((one) => prompt.includes(JSON.stringify(one.text).slice(1, -1)));
      const last = summaries.at(-1);
      if (last !== undefined && !shown.includes(last))
        return [`${id}: at step ${step} the summary "${last.text}" was missing`];
      const old = shown.find((one) => one.text !== last?.text);
      if (old !== undefined)
        return [`${id}: at step ${step} the model was shown the old summary "${old.text}"`];
      const hidden = report.intermediateSteps
        .filter(({ call }) => turnOf(call) < from || turnOf(call) >= to)
        // The result of a background call is a message, which may be later than the summary.
        .filter(({ action }) => !world.background.includes(action.tool))
        .map(({ observation }) => text(observation))
        // Others may have the same text as a step that is shown.
        .find((one) => UNIQUE.test(one) && prompt.includes(JSON.stringify(one).slice(1, -1)));
      return hidden === undefined ? [] : [`${id}: at step ${step} the model was shown "${hidden}"`];
    },
  );

/**
 * Each request of a run begins with the bytes of the one before, so that a provider's cache of prompts holds. Exceptions: a summary
 * and the request after it, a request that was shortened, another agent (a handoff), a restart, and what a hook adds.
 */
export const requestsContinue: Law = ({ world, runs }) =>
  runs.flatMap(({ id, events }) => {
    const runIds = new Set(events.flatMap((event) => ('runId' in event ? [event.runId] : [])));
    const asked = world.asked.filter(({ runId }) => runIds.has(runId));
    const breaks = events.filter((event) => event.type === 'restarted' || isGivenSummary(event));
    return asked.slice(1).flatMap((next, index) => {
      const before = asked[index];
      if (before === undefined || before.runId !== next.runId || before.agent !== next.agent) return [];
      if (turnOf(next.step) <= turnOf(before.step)) return [];
      const isSummary = [before, next].some(({ step }) => step.endsWith(COMPACTION));
      const isAfterBreak = breaks.some(({ at }) => before.at <= at && at <= next.at);
      const isShortened = [before, next].some((one) => isSecondTry(world, one));
      if (isSummary || isAfterBreak || isShortened) return [];
      const [said, saidBefore] = [bytesOf(next.request.prompt), bytesOf(before.request.prompt)];
      if (said.startsWith(saidBefore)) return [];
      const at = Array.from(saidBefore).findIndex((character, place) => character !== said[place]);
      return [
        `${id}: the request of step ${next.step} is another from character ${at} on than that of step ${before.step}, which has ${saidBefore.length}: ${said.slice(at - 60, at + 60)} / ${saidBefore.slice(at - 60, at + 60)}`,
      ];
    });
  });

/** A person has written the summary: the model was not asked for it, for its budget was used up. */
function isGivenSummary(event: RunEvent): boolean {
  return event.type === 'decided' && event.call.endsWith(COMPACTION) && event.decision.type === 'resolve';
}

/** Structured chat ends each request with it, as in LangChain: it is no part of what the next one continues. */
const REMINDER = structuredChat.prompt.human.replace(/^.*\{agent_scratchpad\}/su, '');

/** A prompt as one text that the next one of the run can continue: the last message may grow. */
function bytesOf(prompt: Asked['request']['prompt']): string {
  if (prompt.type === 'text') return prompt.text.replaceAll(ADDED_BY_HOOK, '');
  const messages = prompt.messages.map(
    ({ content, ...message }) => `${JSON.stringify(message)}${text(content)}`,
  );
  const bytes = `${JSON.stringify(prompt.tools)}${messages.join('')}`.replaceAll(ADDED_BY_HOOK, '');
  return bytes.endsWith(REMINDER) ? bytes.slice(0, -REMINDER.length) : bytes;
}

/** The model has just refused the turn's request, as too long for its context. */
function isSecondTry(world: World, { runId, step, at }: Asked): boolean {
  return (
    world.asked.findLast((one) => one.runId === runId && one.step === step && one.at < at)?.failure ===
    'ModelContextTooLong'
  );
}

/** Makes the text by which a prompt shows an observation: the observation, or its beginning and a mark. */
function shortenedIn(prompt: unknown): (observation: string) => string {
  const whole = JSON.stringify(prompt);
  return (observation) => {
    const { length } = observation;
    const short = observation.slice(0, KEPT_CHARS) + shortenedObservation(KEPT_CHARS, length);
    return length > KEPT_CHARS && whole.includes(JSON.stringify(short).slice(1, -1)) ? short : observation;
  };
}

/** Characters of a shortened observation that the model is shown. */
const KEPT_CHARS = 200;

/** The observation of a handoff, and one that somebody has put in its place. */
const HANDED_OVER = /^(?:The conversation is handed over|edited #)/u;

/** The agent to which the last turn with a handoff gave the conversation is asked for the next turn. */
export const rightAgentIsAsked: Law = ({ world, runs }) =>
  requestsOf(world, runs).flatMap(({ life: { id, report }, asked: { agent, step }, at }) => {
    const handoffs = report.intermediateSteps.filter(
      // A tool that a deploy removed hands nothing over.
      ({ call, action, observation }) =>
        action.tool.startsWith(HANDOFF) && HANDED_OVER.test(text(observation)) && turnOf(call) < at,
    );
    const turn = turnOf(handoffs.at(-1)?.call ?? '');
    const first = handoffs.find(({ call }) => turnOf(call) === turn);
    const expected = first?.action.tool.slice(HANDOFF.length) ?? report.agent;
    return agent === expected
      ? []
      : [`${id}: at step ${step} ${agent} was asked, and ${expected} has the conversation`];
  });

/** The tools that make such a text never make the same one twice. */
const UNIQUE = / #\d{4,}$/u;

interface ShownRequest {
  life: RunLife;
  asked: Asked;
  /** The turn that the model is asked for, or before which it is asked for a summary. */
  at: number;
  /** The first turn that the request shows, and the first later turn that it does not. */
  from: number;
  to: number;
  /** Summaries before the request, oldest first. */
  summaries: Summary[];
}

interface Summary {
  /** The turn before which the summary was made. */
  before: number;
  keep: number;
  text: string;
}

/** The requests of the runs that were completed. After a restart only the last one. */
function requestsOf(world: World, runs: readonly RunLife[]): ShownRequest[] {
  return runs.flatMap((life) => {
    const { report, events } = life;
    if (report.status !== 'completed') return [];
    const runIds = new Set(events.flatMap((event) => ('runId' in event ? [event.runId] : [])));
    const asked = world.asked.filter(({ runId }) => runIds.has(runId));
    const restarted = events.findLast(({ type }) => type === 'restarted');
    const all = summariesIn(events);
    const requests = restarted === undefined ? asked : asked.slice(-1).filter(({ at }) => at >= restarted.at);
    return requests.flatMap((one) => shownRequest(life, one, all));
  });
}

function shownRequest(life: RunLife, asked: Asked, all: readonly Summary[]): ShownRequest[] {
  const at = Number.parseInt(asked.step, 10);
  const isCompaction = asked.step.endsWith(COMPACTION);
  const summaries = all.filter(({ before }) => (isCompaction ? before < at : before <= at));
  const { before = 1, keep = 0 } = summaries.at(-1) ?? {};
  const own = all.find((one) => one.before === at);
  // Nobody knows how many turns a summary would have kept that failed.
  if (isCompaction && own === undefined) return [];
  const to = isCompaction ? at - (own?.keep ?? 0) : at;
  return [{ life, asked, at, from: before - keep, to, summaries }];
}

/** The summaries that count at the end. A restart keeps the one that was made just before its step. */
function summariesIn(events: readonly RunEvent[]): Summary[] {
  return events.reduce<Summary[]>((summaries, event) => {
    if (event.type === 'restarted') return summaries.filter(({ before }) => before <= event.step);
    if (event.type !== 'model_ended' || event.turn.decision.type !== 'compact') return summaries;
    const { call, turn } = event;
    const { keep } = event.turn.decision;
    return [...summaries, { before: turnOf(call), keep, text: turn.text }];
  }, []);
}

interface Prompt {
  messages?: { role: string; content: unknown; tool_calls?: unknown }[];
  text?: string;
}

/** The results of native calls in a request. undefined: the second attempt of a summary, which has them in its text. */
function resultsIn(prompt: unknown, isSummary: boolean): string[] | undefined {
  const { messages = [] } = prompt as Prompt;
  const results = messages.filter(({ role }) => role === 'tool');
  return isSummary && results.length === 0 ? undefined : results.map(({ content }) => text(content));
}

/** Those of the expected observations that stand in a text, in their order. One of the agents may write them as results of native calls. */
function toldInText(prompt: unknown, expected: readonly { plain: string; native: string }[]): string[] {
  const { messages = [], text: whole = '' } = prompt as Prompt;
  const all = [...messages.map(({ content }) => text(content)), whole].join('\n');
  let from = 0;
  return expected.flatMap(({ plain, native }) => {
    const found = [plain, native].find((one) => all.includes(one, from));
    if (found === undefined) return [];
    from = all.indexOf(found, from) + found.length;
    return [plain];
  });
}

/** The turn of a call: 3 for `3.1` and for `3-compaction`. */
const turnOf = (call: string): number => Number.parseInt(call, 10);

function text(value: unknown): string {
  const plain = asText(value as never);
  return plain === '' ? '[no output]' : plain;
}
