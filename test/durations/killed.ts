import { setTimeout as sleep } from 'node:timers/promises';
import { asText } from '../../agent/values/vocabulary.ts';
import { MODELS, REMOTE } from './agents.ts';
import { SIGNALS, type Signal } from './killings.ts';
import { type Bench, type Row, start } from './row.ts';
import { type Task, linesOf, timesBegun } from './task.ts';

/** Time by which calls outlive the worker, where something else than the worker makes them. */
const OUTLIVED = 10;

type Run = Awaited<ReturnType<Bench['client']['start']>>;

interface Killed {
  tool: string;
  end: string;
  /** Agent that is asked. Default: the one that calls tools. */
  agent?: string;
  /** Something else than the worker makes the call. */
  outlives?: boolean;
  expected(task: Task): string;
  after?(run: Run): Promise<void>;
}

/** A call that lasts for the time of the cell when its worker is killed. */
const row = (signal: Signal, { tool, end, agent = 'caller', outlives = false, ...rest }: Killed): Row => ({
  name: `${tool}: ${signal}, ${end}`,
  task: { tool, end },
  kill: signal,
  expected: (task) =>
    outlives ? rest.expected(task) : `${rest.expected(task)}; ${signal === 'SIGTERM' ? 'none' : 'some'} lost`,
  async run({ killings }, task) {
    const killing = killings[signal];
    await killing.untilStart(task.seconds);
    const asked = outlives
      ? { ...task, seconds: task.seconds + OUTLIVED }
      : { ...task, endless: true, killed: true };
    const run = await start(killing.client, agent, asked);
    while (timesBegun(task.key) === 0) await sleep(100);
    await sleep(task.seconds * 1000);
    await killing.killed();
    await rest.after?.(run);
    const told = await seenOf(run, task);
    // A call that outlives its worker may end before the successor has begun the others.
    if (outlives) return told;
    // The successor has begun the calls by now.
    return `${told}; ${killing.lost() > 0 ? 'some' : 'none'} lost`;
  },
});

/** Retries the call each time it waits in doubt, as a person would. */
async function retryInDoubt(run: Run): Promise<void> {
  for await (const event of run.events())
    if (event.type === 'waiting' && event.wait.reason === 'doubt')
      await run.decide(event.wait.call, { type: 'retry' });
}

/** `completed: answer: did KEY; begun 2, attempts 2`. */
async function seenOf(run: Run, { key, tool }: Task): Promise<string> {
  const { output, intermediateSteps } = await run.result();
  const attempts = intermediateSteps[0]?.attempts ?? 1;
  const effects = linesOf('effects').filter((line) => line === key).length;
  const taken = tool === 'paid' ? `, effects ${effects}` : '';
  return `completed: ${asText(output).trim()}; begun ${timesBegun(key)}, attempts ${attempts}${taken}`;
}

const kinds = ['plain', 'deaf', 'progress', 'checkpoint', ...REMOTE].filter(
  (tool) => tool !== 'external' && tool !== 'http',
);

const again = kinds.map((tool): Killed => ({
  tool,
  end: 'answer',
  // The attempts of a sub-agent are those of its own calls.
  expected: ({ key }) =>
    tool === 'sub_agent'
      ? `completed: answer: answer: did ${key}; begun 2, attempts 1`
      : `completed: answer: did ${key}; begun 2, attempts 2`,
}));

/** A death uses up none of the attempts, and a failure of the next attempt uses up the only one. */
const failing = (['plain', 'checkpoint'] as const).map((tool): Killed => ({
  tool,
  end: 'error',
  expected: () => `completed: answer: The tool ${tool} failed: it broke; begun 2, attempts 2`,
}));

const outlived = (['defer', 'external'] as const).map((tool): Killed => ({
  tool,
  end: 'answer',
  outlives: true,
  expected: ({ key }) => `completed: answer: did ${key}; begun 1, attempts 1`,
}));

const effects: Killed[] = [
  {
    tool: 'paid',
    end: 'before the effect',
    expected: ({ key }) => `completed: answer: did ${key}; begun 2, attempts 2, effects 1`,
  },
  {
    tool: 'paid',
    end: 'after the effect',
    expected: ({ key }) => `completed: answer: did ${key}; begun 1, attempts 1, effects 1`,
  },
  {
    tool: 'once',
    end: 'answer',
    expected: ({ key }) => `completed: answer: did ${key}; begun 2, attempts 2`,
    after: retryInDoubt,
  },
  // It may send POST, and says of other requests that they did nothing.
  {
    tool: 'http',
    end: 'answer',
    expected: ({ key }) => `completed: answer: HTTP 200 OK\n\ndid ${key}; begun 2, attempts 2`,
    after: retryInDoubt,
  },
];

const models = MODELS.map((mode): Killed => ({
  tool: mode,
  end: 'answer',
  agent: mode,
  expected: ({ key }) => `completed: did ${key}; begun 2, attempts 1`,
}));

export const killedRows: readonly Row[] = SIGNALS.flatMap((signal) =>
  [...again, ...failing, ...outlived, ...effects, ...models].map((killed) => row(signal, killed)),
);
