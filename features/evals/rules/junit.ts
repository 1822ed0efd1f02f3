import type { EvalReport } from './eval-report.ts';
import type { CaseResult } from './score-case.ts';

/** The results as a JUnit file: a suite for each eval, a test for each case. */
export function junitOf(reports: readonly EvalReport[]): string {
  const suites = reports.flatMap(({ eval: name, id, cases }) => {
    const failures = cases.filter((one) => !one.passed && one.error === null).length;
    const errors = cases.filter((one) => !one.passed && one.error !== null).length;
    return [
      `  <testsuite ${attributes({ name, id, tests: cases.length, failures, errors })}>`,
      ...cases.flatMap((one) => testcase(name, one)),
      '  </testsuite>',
    ];
  });
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join(
    '\n',
  );
}

function testcase(suite: string, one: CaseResult): string[] {
  const head = `    <testcase ${attributes({ classname: suite, name: one.input })}`;
  if (one.passed) return [`${head}/>`];
  const reasons = failureLines(one);
  const tag = one.error === null ? 'failure' : 'error';
  const text = escaped([...reasons, `run ${one.run}`].join('\n'));
  return [
    `${head}>`,
    `      <${tag} ${attributes({ message: reasons[0] ?? '' })}>${text}</${tag}>`,
    '    </testcase>',
  ];
}

/** Returns the reasons for which a case has not passed, a sentence each. */
export function failureLines({ status, error, checks }: CaseResult): string[] {
  const failed = checks.filter(({ passed }) => !passed);
  return [
    ...(status === 'completed'
      ? []
      : [error ?? (status === 'missing' ? 'not asked' : `the run is ${status}`)]),
    ...failed.map(({ check, reason, score }) => `${check}: ${reason ?? `score ${score}`}`),
  ];
}

function attributes(values: { [name: string]: string | number }): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(' ');
}

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** XML 1.0 has no place for other control characters, halves of surrogate pairs and two more code points. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}\u{fffe}\u{ffff}]/gu, (character) =>
      character in ENTITIES ? character : '\u{fffd}',
    )
    .replaceAll(/[&<>"\n\t]/gu, (character) => ENTITIES[character] ?? '');
}
