import { type Story, delegated, partsOf } from './stories.ts';
import { type Moment, moments } from './world.ts';

export interface Kill {
  moment: Moment;
  /** Count of the moment among those of its kind, from 1. */
  time: number;
}

/** Moments of a story at which its contestant is killed, each once, in their order. */
export function killsOf(story: Story): Kill[] {
  if (story.weighs === true) return [];
  if (story.cancelsAt !== undefined) return cancelKills;
  const messages = story.messages ?? 1;
  const subAgents = story.steps.flat().filter(({ tool }) => tool === 'delegate').length;
  const asked = (story.steps.length + 1) * messages + subAgents * (delegated.steps.length + 1);
  const posted = partsOf(story).length;
  const kills = moments.flatMap((moment) =>
    timesOf(moment, moment.startsWith('model') ? asked : posted).map((one) => ({
      ...one,
      // In a batch, in the middle of it.
      time: Math.ceil(one.time * (story.runs ?? 1) * (story.runs === undefined ? 1 : 0.5)),
    })),
  );
  if (story.needsApproval === true) return [{ moment: 'waiting', time: 1 }, ...kills];
  return [...kills, ...timesOf('between messages', messages - 1)];
}

/** Each moment in turn; fewer kills than there are moments are spread over all of them. */
export function killOf(story: Story, place: number, kills: number): Kill {
  const planned = killsOf(story);
  const all = planned.length;
  const index = kills < all ? Math.floor((place * all) / kills) : place % all;
  return planned[index] ?? { moment: 'waiting', time: 1 };
}

const timesOf = (moment: Moment, times: number): Kill[] =>
  Array.from({ length: times }, (_, index) => ({ moment, time: index + 1 }));

/** Half of the kills come around the client's request, the others in the step before. */
const cancelKills: Kill[] = [
  ...moments.flatMap((moment) => [{ moment, time: 1 }]),
  ...(['cancel asked', 'cancel accepted'] as const).flatMap((moment): Kill[] =>
    [1, 2, 3].map(() => ({ moment, time: 1 })),
  ),
];
