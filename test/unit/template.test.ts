import { expect, test } from 'vitest';
import { fill } from '../../agent/template.ts';

const values = { input: 'Who?', tools: 'A: a', empty: '' };

test.each<[what: string, template: string, filled: string]>([
  ['has each name filled in, as often as it comes', '{input} {tools} {input}', 'Who? A: a Who?'],
  ['has nothing filled in where the value is empty', '[{empty}]', '[]'],
  ['keeps names that it does not know', '{question} {Input}', '{question} {Input}'],
  [
    'keeps names that every object has',
    '{toString} {constructor} {__proto__}',
    '{toString} {constructor} {__proto__}',
  ],
  [
    'keeps braces around anything but a name',
    '{} { input } {"a": 1} {a.b} {input',
    '{} { input } {"a": 1} {a.b} {input',
  ],
  ['keeps the braces around a name in braces', '{{input}}', '{Who?}'],
  ['is kept where it has no names', 'Question:', 'Question:'],
])('a template %s', (_what, template, filled) => {
  expect(fill(template, values)).toBe(filled);
});

test.each<[what: string, value: string]>([
  ['the name of another value', '{tools}'],
  ['its own name', '{input}'],
  ['JSON', '{"city": "Rome"}'],
  ['patterns of String.replace', "$& $1 $$ $` $'"],
  ['Python format fields', '{0} {x!r:>10}'],
])('a template does not look into what it fills in: %s', (_what, value) => {
  expect(fill('<{input}>{tools}', { input: value, tools: 'T' })).toBe(`<${value}>T`);
});
