/** A reason for which a call waits. All texts about such waits come from this entry. */
interface WaitReason {
  /** Text after the name of the call: `price (1.1) failed`. */
  text: string;
  /** Text after the id of the call, in the refusal of a decision that does not fit. */
  refusal: string;
  /** Refusal for a model call. Default: `refusal`. */
  refusalOfModel?: string;
  /** Observation of a call if no person decided in time. */
  unanswered: string;
  /** The call lacks nothing but its result, so `resolve` is the usual decision, and a person's text is the result. */
  awaitsResult?: true;
  /** A message to the run that also ends the wait. */
  message?: 'extend';
  /** The part of the call that the wait shows. Default: nothing. */
  about?: 'failure' | 'note' | 'earlier call' | 'failed check' | 'limit';
  /** No activity stands for the call: the wait is its beginning. */
  isBeginning?: true;
}

const FAILED_UNANSWERED = 'This tool call failed, and nobody decided in time what is to become of it.';

/** Every reason, in the order of help texts. A decision lists the reasons that it ends. */
export const waitReasons = {
  failed: {
    about: 'failure',
    text: 'failed',
    refusal: 'is not running, it has failed and waits',
    refusalOfModel: 'is not running, it waits for the model to be asked again',
    unanswered: FAILED_UNANSWERED,
  },
  approval: {
    about: 'failed check',
    text: 'needs your approval',
    refusal: 'is not running, it waits for approval',
    unanswered: 'Nobody approved this tool call in time, so it was not run.',
  },
  doubt: {
    about: 'failure',
    text: 'may or may not have taken effect',
    refusal: 'is not running, it waits because nobody knows whether it took effect',
    unanswered: 'It is not known whether this tool call took effect, and nobody said so in time.',
  },
  answer: {
    isBeginning: true,
    text: 'needs your answer',
    refusal: 'is not running, it waits for a person to answer',
    unanswered: 'Nobody answered in time; there is no result.',
    awaitsResult: true,
  },
  deferred: {
    about: 'note',
    text: 'waits for its result',
    refusal: 'is not running, it waits for its result',
    unanswered: 'Nobody answered in time; there is no result.',
    awaitsResult: true,
  },
  client_tool: {
    isBeginning: true,
    text: 'waits for its client',
    refusal: 'is not running, it waits for the client that has its tool',
    unanswered: 'The client did not give a result in time; there is no result.',
  },
  repeated: {
    about: 'earlier call',
    text: 'was already made in a dropped step',
    refusal: 'is not running, it waits because it was already made in a dropped step',
    unanswered:
      'Nobody said in time whether this call, which was made before, may be made again. It was not run.',
  },
  limit: {
    about: 'limit',
    text: 'has come to a limit',
    refusal: 'waits because the run has come to a limit',
    unanswered: FAILED_UNANSWERED,
    message: 'extend',
  },
} as const satisfies { [name: string]: WaitReason };

export type WaitingReason = keyof typeof waitReasons;

export const waitingReasons = Object.keys(waitReasons) as WaitingReason[]; // the keys of the literal above

/** Returns the entry of a reason, without the types of its texts. */
export function waitReasonOf(name: WaitingReason): WaitReason {
  return waitReasons[name];
}
