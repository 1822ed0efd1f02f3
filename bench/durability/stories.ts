/** A task of the suite: what the model says, what the tool does, and what is right at the end. */
export interface Story {
  name: string;
  what: string;
  /** Calls of each step of the model; after the last one it answers. */
  steps: readonly (readonly ToolCall[])[];
  answer: string;
  /** The tool asks a person first. */
  needsApproval?: true;
  /** Messages of the thread, one after the other. Each has these steps and an answer. Default: 1. */
  messages?: number;
  /** The client cancels the run while the tool makes this entry. */
  cancelsAt?: string;
  /** Runs that are started at once. Default: 1. */
  runs?: number;
  /** After the kill the program starts with a changed tool, and with one more. */
  deploys?: true;
  /** Target of the kill. Default: the contestant's process. */
  kills?: 'servers';
  /** The ledger knows idempotency keys, and takes each one once. */
  hasKeys?: true;
  /** Nobody is killed: the runner's store is weighed before and after. */
  weighs?: true;
}

/** `delegate`: a sub-agent is asked to post the entry. */
export interface ToolCall {
  tool: 'post' | 'delegate';
  part: string;
}

/** The tool of all contestants: posts an entry to the ledger. */
export const TOOL = {
  name: 'post',
  description: 'Posts an entry to the ledger.',
  parameters: {
    type: 'object',
    properties: { run: { type: 'string' }, part: { type: 'string' } },
    required: ['run', 'part'],
    additionalProperties: false,
  },
} as const;

const post = (part: string): ToolCall => ({ tool: 'post', part });

export const stories: readonly Story[] = [
  {
    name: 'payment',
    what: 'one payment, to a service without keys',
    steps: [[post('payment')]],
    answer: 'Paid.',
  },
  {
    name: 'keyed-payment',
    what: 'one payment, to a service that takes each idempotency key once',
    steps: [[post('payment')]],
    answer: 'Paid.',
    hasKeys: true,
  },
  {
    name: 'parallel',
    what: 'three calls in one reply of the model',
    steps: [[post('first'), post('second'), post('third')]],
    answer: 'All posted.',
  },
  {
    name: 'long',
    what: 'six steps of one call each',
    steps: ['1', '2', '3', '4', '5', '6'].map((part) => [post(part)]),
    answer: 'Six steps.',
  },
  {
    name: 'approval',
    what: 'a payment that a person approves from another process',
    steps: [[post('payment')]],
    answer: 'Paid.',
    needsApproval: true,
  },
  {
    name: 'conversation',
    what: 'ten messages on one thread, each with a payment',
    steps: [[post('payment')]],
    answer: 'Paid.',
    messages: 10,
  },
  {
    name: 'cancel',
    what: 'three steps, cancelled while the tool of the second one runs',
    steps: [[post('first')], [post('second')], [post('third')]],
    answer: 'Three steps.',
    cancelsAt: 'second',
  },
  {
    name: 'sub-agent',
    what: 'an agent that has a sub-agent make the payment',
    steps: [[{ tool: 'delegate', part: 'payment' }]],
    answer: 'The clerk has paid.',
  },
  {
    name: 'deploy',
    what: 'two steps, and the program is started again with a changed tool and one more',
    steps: [[post('first')], [post('second')]],
    answer: 'Two steps.',
    deploys: true,
  },
  {
    name: 'server-restart',
    what: 'two steps, and the database or server of the runner is killed and started again',
    steps: [[post('first')], [post('second')]],
    answer: 'Two steps.',
    kills: 'servers',
  },
  {
    name: 'batch',
    what: 'a hundred payments at once, and one death in the middle of them',
    steps: [[post('payment')]],
    answer: 'Paid.',
    runs: 100,
  },
  {
    name: 'storage',
    what: 'runs of six steps that nobody kills: what the runner stores',
    steps: ['1', '2', '3', '4', '5', '6'].map((part) => [post(part)]),
    answer: 'Six steps.',
    weighs: true,
  },
];

export function storyOf(name: string): Story {
  const story = stories.find((one) => one.name === name);
  if (story === undefined)
    throw new Error(`No story "${name}": ${stories.map((one) => one.name).join(', ')}.`);
  return story;
}

/** The task of a sub-agent. */
export const delegated = storyOf('payment');

/** A message of a run, from 1. The model reads the story, the run's id and the number from it. */
export function question(story: string, run: string, message: number): string {
  return `Story ${story}, run ${run}, message ${message}. Do the work with the tool, then say what was done.`;
}

export const QUESTION = /Story ([a-z-]+), run ([\w.-]+), message (\d+)\. /u;

/** Steps of one message: the entries of a conversation have the message's number. */
export function stepsOf({ steps, messages }: Story, message: number): readonly (readonly ToolCall[])[] {
  if (messages === undefined) return steps;
  return steps.map((calls) => calls.map(({ tool, part }) => ({ tool, part: `${part}-${message}` })));
}

/** Entries that a run has posted when all is done. */
export function partsOf(story: Story): string[] {
  const numbers = Array.from({ length: story.messages ?? 1 }, (_, index) => index + 1);
  return numbers.flatMap((message) => stepsOf(story, message).flat()).map(({ part }) => part);
}

/** The answer to a message. */
export const answerOf = ({ answer, messages }: Story, message: number): string =>
  messages === undefined ? answer : `${answer} Message ${message}.`;
