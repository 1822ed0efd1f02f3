import { readFileSync } from 'node:fs';
import { OutputParserError, type ParsedReply } from '../../agent/definition/kind.ts';
import { plainJson } from '../../agent/values/values.ts';
import type { Json } from '../../agent/values/vocabulary.ts';

/** A reply and what a parser of langchain-classic makes of it, as record-parsers.py writes it. */
export type RecordedReply = { text: string } & (
  { finish: Json } | { tool: string; toolInput: Json } | { error: true }
);

/** Python has integers of any length, and reads 1E400 as infinity. Here a number that JavaScript cannot hold stays its text. */
const PYTHONS_NUMBERS = '"b": 12345678901234567890, "z": 0, "e": null';
const OUR_NUMBERS = '"b": "12345678901234567890", "z": 0, "e": "1E400"';

export function recordedReplies(kind: 'structured-chat' | 'conversational'): RecordedReply[] {
  const file = new URL(`../fixtures/langchain-parsers/${kind}.json`, import.meta.url);
  const text = readFileSync(file, 'utf8').replaceAll(PYTHONS_NUMBERS, OUR_NUMBERS);
  return (JSON.parse(text) as RecordedReply[]).map(asJson); // written in this shape
}

/** What our parser makes of a reply, in the words of a record. */
export function asRecorded(parse: (text: string) => ParsedReply, text: string): RecordedReply {
  try {
    const decision = parse(text);
    if (decision.type === 'finish') return asJson({ text: decision.log, finish: decision.output });
    const [{ log, tool, toolInput } = { log: '', tool: '', toolInput: '' }] = decision.actions;
    return asJson({ text: log, tool, toolInput });
  } catch (error) {
    if (!(error instanceof OutputParserError) || error.observation !== undefined) throw error;
    if (error.message !== `Could not parse LLM output: ${text}`) throw error;
    return { text, error: true };
  }
}

/**
 * As it is once it was sent: there are no infinities in JSON, and no negative zero. Half a character, which Python keeps,
 * is replaced here, because Temporal could not record it; only the reply is left as it was written.
 */
function asJson(record: RecordedReply): RecordedReply {
  const sent = JSON.parse(JSON.stringify(record)) as RecordedReply; // the same, but for some numbers
  return { ...(plainJson(sent) as RecordedReply), text: sent.text }; // and some characters
}
