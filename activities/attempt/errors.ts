import { ApplicationFailure } from '@temporalio/activity';
import type { ApplicationFailureOptions } from '@temporalio/common';
import type { FailureDetails } from '../../agent/calls/calls.ts';
import { type Setting, secretHeaders, withoutSecrets } from '../../agent/text/secrets.ts';
import { limits } from '../../agent/values/limits.ts';
import { boundedText, fieldOf, finiteMs, plainJson } from '../../agent/values/values.ts';

/** A thrown value as it can be recorded: every text well-formed and bounded. */
export interface ClassifiedError extends RecordedError {
  retryable: boolean;
  /** Final only because the server asked for too long a wait; a later attempt may succeed. */
  mayPass?: boolean | undefined;
  retryAfterMs?: number | undefined;
  /** The request was held back, because the model has an outage. */
  heldBack?: boolean | undefined;
  /** The cause of the thrown error. One level only: the cause's own cause is left out. */
  cause?: RecordedError | undefined;
}

interface RecordedError {
  type: string;
  message: string;
  /** The stack trace, without the message. */
  frames: string;
}

/**
 * The one map from thrown errors to recorded ones: type, message, and retryability. Recognizes errors by name, not by
 * class: a config may bring its own copy of the package. Never throws.
 */
export function classifyError(error: unknown): ClassifiedError {
  const recorded = recordedError(error);
  const cause = fieldOf(error, 'cause');
  return withinPatience({
    ...recorded,
    retryable: isRetryable(error),
    retryAfterMs: finiteMs(fieldOf(error, 'retryAfterMs')),
    mayPass: fieldOf(error, 'mayPass') === true || undefined,
    heldBack: fieldOf(error, 'heldBack') === true || undefined,
    cause: cause === undefined || cause === error ? undefined : recordedError(cause),
  });
}

/** Makes a failure of the recordable fields. The thrown error itself, with all its data, stays in this process. */
export function failureOf(
  { type, message, frames, cause }: ClassifiedError,
  details: FailureDetails,
  next: Pick<ApplicationFailureOptions, 'nonRetryable' | 'nextRetryDelay' | 'category'>,
): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type,
    message,
    details: Object.values(details).every((detail) => detail === undefined) ? [] : [details],
    ...(cause === undefined ? {} : { cause: causeOf(cause) }),
    ...next,
  });
  failure.stack = frames;
  return failure;
}

function causeOf({ type, message, frames }: RecordedError): Error {
  const cause = ApplicationFailure.create({ type, message });
  cause.stack = frames;
  return cause;
}

/** A call that sleeps for hours looks like one that hangs, so it fails instead. */
function withinPatience(classified: ClassifiedError): ClassifiedError {
  const { retryable, retryAfterMs = 0, message } = classified;
  if (!retryable || retryAfterMs <= limits.retryAfterMs) return classified;
  const wish = `The server asked to wait ${inWords(retryAfterMs)} before the next attempt`;
  const rule = `longer than ${inWords(limits.retryAfterMs)} is not waited for, so it is not tried again automatically`;
  return {
    ...classified,
    message: `${message} (${wish}; ${rule}.)`,
    retryable: false,
    mayPass: true,
    retryAfterMs: undefined,
  };
}

/** An error may say that trying again cannot help (a missing key); a failure of Temporal's says it in its own way. */
function isRetryable(error: unknown): boolean {
  if (isApplicationFailure(error)) return fieldOf(error, 'nonRetryable') !== true;
  return fieldOf(error, 'retryable') !== false;
}

function recordedError(error: unknown): RecordedError {
  const text = fieldOf(error, 'message');
  const frames = framesOf(fieldOf(error, 'stack'), text);
  return {
    type: boundedText(errorType(error), limits.errorTypeChars),
    message: boundedText(withoutKeys(messageOf(error, text)), limits.errorChars),
    frames: boundedText(frames, limits.errorChars),
  };
}

/** Removes bearer tokens, keys, and the secrets among the variables of the worker: the client of a service may put its key into an error. */
function withoutKeys(text: string): string {
  const settings = Object.entries(process.env).map(([name, value = '']): Setting => [name, value]);
  return withoutSecrets(text, secretHeaders(settings));
}

/** Errors with a `type` are a model's or Temporal's; all others go by their name. */
export function errorType(error: unknown): string {
  const name = fieldOf(error, 'name');
  const says = isApplicationFailure(error) || name === 'ModelError';
  const type = says ? fieldOf(error, 'type') : undefined;
  return [type, name].find((text): text is string => typeof text === 'string' && text !== '') ?? 'Error';
}

function messageOf(error: unknown, text: unknown): string {
  if (typeof text === 'string' && text !== '') return text;
  if (text !== undefined && text !== '') return shown(text);
  return text === '' ? `${errorType(error)} without a message` : shown(error);
}

/** A text for a thrown value that is not an error: its JSON. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    if (typeof value === 'object' && value !== null) return JSON.stringify(plainJson(value));
  } catch {
    // A circle, or a getter that throws: its plain name has to do.
  }
  return boundedText(value, limits.errorChars);
}

/** A stack starts with the message, which is recorded already and may be huge. */
function framesOf(stack: unknown, message: unknown): string {
  if (typeof stack !== 'string') return '';
  const first = stack.indexOf('\n    at ', typeof message === 'string' ? message.length : 0);
  return first === -1 ? '' : stack.slice(first + 1, first + 1 + limits.errorChars);
}

function isApplicationFailure(error: unknown): boolean {
  try {
    return error instanceof ApplicationFailure;
  } catch {
    return false; // a proxy that refuses to be asked
  }
}

function inWords(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const;
  const [unit, length] = units.find(([, lengthMs]) => ms >= 2 * lengthMs) ?? ['second', 1000];
  return `${Math.round(ms / length)} ${unit}s`;
}
