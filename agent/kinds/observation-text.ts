import { madeOnce } from '../made-once.ts';
import { pyJson } from '../reply/python-repr.ts';
import { type Json, asText } from '../vocabulary.ts';

/** An observation as prompts write it. Every request shows all of them, so what is no text is written once. */
export const observationText = writtenOnce(asText);

/** The result of a native tool call, as LangChain writes it. */
export const resultText = writtenOnce((value) => (typeof value === 'string' ? value : pyJson(value)));

/** The text is kept as long as the value is, which does not change. */
function writtenOnce(write: (value: Json) => string): (value: Json) => string {
  const written = madeOnce((value: Exclude<Json, string | number | boolean | null>) => write(value));
  return (value) => (value === null || typeof value !== 'object' ? write(value) : written(value, undefined));
}
