import { expect, test } from 'vitest';
import { exportJson } from '../../cli/print/export-json.ts';
import { askedWith, exportOf } from '../support/exported.ts';
import { answers, atSeconds, started } from '../support/run-events.ts';

const own = exportOf(atSeconds(started, ...answers('1', 'a\nb')));

test('an exported run is JSON with its sub-agents and requests, and reads as it was', () => {
  const exported = exportOf(atSeconds(started, ...answers('1', 'ok')), {
    subAgents: [
      { call: '1.1', n: 0, id: 'run-1/1.1', export: { ...own, requests: [askedWith('1', 'why?')] } },
      { call: '1.1', n: 1, id: 'run-1/1.1~1', export: null },
    ],
    requests: [askedWith('1', 'what?')],
  });
  const text = [...exportJson(exported)].join('');
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(exported)));
});

test('each event of an exported run stands on a line of its own', () => {
  const lines = [...exportJson(own)].join('').split('\n');
  for (const event of own.events) {
    expect(lines.filter((line) => line.replace(/,$/u, '') === JSON.stringify(event))).toHaveLength(1);
  }
  expect(lines.at(-1)).toBe('');
});
