import type { RunEvent } from '../../agent/run/events.ts';
import { type Json, asText } from '../../agent/values/vocabulary.ts';
import { BROUGHT, OWN_RESULT, hasBrought, strangers } from './brought-tools.ts';
import type { Law } from './laws.ts';
import type { Word } from './operator.ts';
import { isReset } from './outside-laws.ts';
import { type Asked, COMPACTION } from './world-model.ts';

const names = BROUGHT.map(({ name }) => name);

/** Words that end the wait of a client's call. */
const ENDINGS = ['resolve', 'skip', 'abort'];

/** One word ends a wait for the client: the owner's or an operator's. */
const clientCallsAreAnsweredOnce: Law = ({ words }) => {
  const ended = new Map<string, Word>();
  return words.flatMap((word) => {
    const { run, type, call, wait, outcome } = word;
    if (wait?.reason !== 'client_tool' || outcome !== 'accepted' || !ENDINGS.includes(type)) return [];
    if (isReset(words, run)) return [];
    const name = `wait ${wait.n} of call ${call}`;
    const first = ended.get(`${run} ${name}`);
    ended.set(`${run} ${name}`, word);
    return first === undefined ? [] : [`${run}: ${name} took ${first.type} and ${type}`];
  });
};

/** The observation of a client's call is the result that ended its wait, and nothing else runs. */
const clientResultsAreObserved: Law = ({ runs, words }) =>
  runs.flatMap(({ id, events }) => {
    const open = new Map<string, number>();
    const taken = new Map<string, Json>();
    return isReset(words, id) ? [] : events.flatMap(broken);

    function broken(event: RunEvent): string[] {
      if (event.type === 'restarted') {
        open.clear();
        taken.clear();
      }
      if (event.type === 'waiting' && event.wait.reason === 'client_tool')
        open.set(event.wait.call, event.wait.n);
      if (event.type === 'decided') return decided(event);
      if (event.type !== 'step' || !names.includes(event.step.action.tool)) return [];
      const { call, observation, attempts } = event.step;
      const expected = taken.get(call);
      taken.delete(call);
      if (attempts > 0) return [`${id}: call ${call} is the client's, and was tried ${attempts} times`];
      return expected === undefined || expected === observation
        ? []
        : [
            `${id}: call ${call} was answered with "${asText(expected)}", and its step has "${asText(observation)}"`,
          ];
    }

    function decided({ call, decision }: Extract<RunEvent, { type: 'decided' }>): string[] {
      const n = open.get(call);
      if (n === undefined || !ENDINGS.includes(decision.type)) return [];
      open.delete(call);
      if (decision.type !== 'resolve') return [];
      const { output, by } = decision;
      taken.set(call, output);
      if (strangers.some(({ name }) => name === by)) return [`${id}: ${by} gave the result of call ${call}`];
      const [, wait = String(n), of = call] = OWN_RESULT.exec(asText(output)) ?? [];
      return wait === String(n) && of === call
        ? []
        : [`${id}: the result for wait ${wait} of call ${of} ended wait ${n} of call ${call}`];
    }
  });

/** A request shows a result at most once. {@link toldIsRecorded} says that it is there. */
const clientResultsAreToldOnce: Law = ({ world, words }) => {
  const results = words.flatMap(({ wait, data }) =>
    wait?.reason === 'client_tool' && data !== undefined && 'output' in data ? [String(data.output)] : [],
  );
  const own = results.filter((one) => OWN_RESULT.test(one));
  return own.length === 0
    ? []
    : world.asked.flatMap(({ runId, step, request }) => {
        const prompt = JSON.stringify(request.prompt);
        return own
          .filter((one) => prompt.split(one).length > 2)
          .map((one) => `${runId}: at step ${step} the model was told "${one}" more than once`);
      });
};

/** The model is shown the tools that the run's caller brought, in each request: over handoffs, rewinds, retries and continue-as-new. */
const clientToolsStay: Law = ({ world, server, profile }) => {
  if (profile.bringsTools !== true) return [];
  const idOf = new Map(server.executions.map(({ runId, id }) => [runId, id]));
  return world.asked.flatMap((asked) => {
    const { agent, runId, step } = asked;
    const id = idOf.get(runId) ?? '';
    if (step.endsWith(COMPACTION) || !hasBrought(profile, id)) return [];
    const isExpected = agent !== 'helper'; // sub-agents have none
    const wrong = names.find((name) => isShown(asked, name) !== isExpected);
    if (wrong === undefined) return [];
    return [`${id}: at step ${step} ${agent} was ${isExpected ? 'not ' : ''}shown ${wrong}`];
  });
};

/** A fork by another person calls nobody's client: its model may see earlier calls, and has no such tool. */
const forksHaveNoClient: Law = ({ runs, profile }) =>
  runs.flatMap(({ id, events }) => {
    const begun = events.findIndex((event) => event.type === 'restarted' && event.id === id);
    return profile.bringsTools !== true || hasBrought(profile, id)
      ? []
      : events
          .slice(begun)
          .flatMap((event) =>
            event.type === 'waiting' && event.wait.reason === 'client_tool'
              ? [`${id}: call ${event.wait.call} of another person's fork waits for the client`]
              : [],
          );
  });

/** A prompt of messages lists its tools. Other prompts have the description in their text. */
function isShown({ request: { prompt } }: Asked, name: string): boolean {
  if (prompt.type === 'messages' && prompt.tools !== undefined)
    return prompt.tools.some((tool) => tool.name === name);
  return JSON.stringify(prompt).includes(`${name}: ${name}`);
}

export const clientToolLaws: readonly Law[] = [
  clientCallsAreAnsweredOnce,
  clientResultsAreObserved,
  clientResultsAreToldOnce,
  clientToolsStay,
  forksHaveNoClient,
];
