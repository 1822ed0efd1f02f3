import { withPersonsInput } from '../../agent/observation/observations.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import { brokenFromOutside, wordsRecorded } from '../simulation/outside-laws.ts';
import { type Word, givenReply } from '../simulation/operator.ts';
import { type ChaosAnswer, shownPart } from './chaos-model.ts';
import type { Evidence } from './evidence.ts';

type Law = (evidence: Evidence) => string[];

/** Sentences on what is wrong; none if all laws hold. Those of the simulator that need no look inside are among them. */
export function brokenByProcesses(evidence: Evidence): string[] {
  const { runs, words, entries, histories } = evidence;
  const effects = entries.filter(({ type }) => type === 'effect').toSorted((a, b) => a.at - b.at);
  return [
    ...brokenFromOutside({ runs, words, world: { effects } }),
    ...laws.flatMap((law) => law(evidence)),
    ...wordsRecorded(words, histories.updates),
    ...histories.failures,
  ];
}

/** A person gave this output in place of the model. */
const isGiven = (words: readonly Word[], output: string) =>
  words.some(({ type, call }) => type === 'resolve' && call !== undefined && output === givenReply(call));

const isSaid = (words: readonly Word[], id: string, ...types: string[]) =>
  words.some(({ run, type, outcome }) => run === id && types.includes(type) && outcome !== 'refused');

/** The server has each run that was started. */
const nothingLost: Law = ({ started, runs }) => {
  const there = new Set(runs.map(({ id }) => id));
  return [...started].filter((id) => !there.has(id)).map((id) => `${id} was started, and is lost`);
};

/** A run ends on the version that it began with, also if it was continued as new. */
const oneVersion: Law = ({ histories }) =>
  [...histories.versions].flatMap(([run, versions]) =>
    versions.size > 1 ? [`The versions ${[...versions].join(' and ')} continued the same run, ${run}`] : [],
  );

/** Each run is over. One that failed, stopped or was cancelled did so by a person's word. */
const ends: Law = ({ runs, words }) =>
  runs.flatMap(({ id, report: { status, waiting, error } }) => {
    // A fork has the words that were said to the run before it.
    const said = (...types: string[]) =>
      [id, id.replace(/(?:-fork)+$/u, '')].some((one) => isSaid(words, one, ...types));
    if (status === 'completed') return [];
    if (status === 'stopped' && said('stop')) return [];
    if (status === 'failed' && said('abort')) return [];
    if (status === 'cancelled' && said('cancel')) return [];
    return [
      `${id} is ${status}; it waits for ${JSON.stringify(waiting)}; its error: ${JSON.stringify(error)}`,
    ];
  });

/** The answer has the observations that the record has, in order: the model was shown what happened. */
const answers: Law = ({ runs, words }) =>
  runs.flatMap(({ id, report }) => {
    if (report.status !== 'completed') return [];
    const output = asText(report.output);
    if (isGiven(words, output)) return [];
    const { saw } = answerOf(output);
    const recorded = report.intermediateSteps.map(({ observation }) => shownPart(asText(observation)));
    // A person's input is told with the observation: the reply shows the input that the model wrote.
    const edited = report.intermediateSteps.map(({ action, observation }) =>
      shownPart(withPersonsInput(action.toolInput, observation)),
    );
    const at = recorded.findIndex((one, index) => saw[index] !== one && saw[index] !== edited[index]);
    if (at < 0 && saw.length === recorded.length) return [];
    return [
      `${id}: the model saw ${saw.length} observations, and ${recorded.length} are recorded; the first that differs: ${saw[at]} / ${recorded[at]}`,
    ];
  });

function answerOf(output: string): ChaosAnswer {
  try {
    return JSON.parse(output) as ChaosAnswer; // of chaos-model.ts
  } catch {
    return { saw: [output], heard: [] };
  }
}

/** A message that a run has taken is heard, unless a person went back behind it or gave the answer. */
const messages: Law = ({ runs, words }) =>
  runs.flatMap(({ id, report: { status, output }, events }) => {
    const isTouched = events.some(({ type }) => type === 'restarted');
    if (status !== 'completed' || isTouched || isGiven(words, asText(output))) return [];
    const { heard } = answerOf(asText(output));
    return events.flatMap((event) => {
      const message =
        event.type === 'steered' && event.message.type === 'say' ? event.message.text : undefined;
      return message === undefined || heard.includes(message) ? [] : [`${id} did not hear "${message}"`];
    });
  });

/** No tool begins in a call that is completed. */
const finishedOnce: Law = ({ entries, histories }) =>
  entries.flatMap(({ type, runId, activityId, root, tool, at }) => {
    const end = histories.completed.get(`${runId} ${activityId}`);
    return type === 'began' && end !== undefined && at > end
      ? [
          `${tool} of call ${activityId} of ${root} began ${Math.ceil(at - end)} ms after its call was completed`,
        ]
      : [];
  });

/** A result of a tool that takes effect has its effect. */
const effectsThere: Law = ({ runs, entries }) => {
  const made = new Set(entries.map(({ type, tool, n }) => `${type} ${tool} ${n}`));
  return runs.flatMap(({ id, report }) =>
    report.intermediateSteps.flatMap(({ call, observation }) => {
      const text = asText(observation);
      return /^(?:pay|mail|order) \d+$/u.test(text) && !made.has(`effect ${text}`)
        ? [`${id}: call ${call} has the result "${text}", and there is no such effect`]
        : [];
    }),
  );
};

const laws: Law[] = [nothingLost, oneVersion, ends, answers, messages, finishedOnce, effectsThere];
