import { expect, test } from 'vitest';
import { createProgressLine } from '../../cli/print/progress-line.ts';
import { fakeIo } from '../support/fake-io.ts';

const UP = '\u{1b}[1A\u{1b}[0J';

test('on a terminal what takes time is one line that changes and goes, and what stays is above it', () => {
  const io = fakeIo({ terminal: true, columns: 20 });
  const line = createProgressLine(io);
  line.show('Starting Temporal …');
  line.show('Building the Temporal CLI … 5 s');
  line.note('Port 8233 is taken.');
  line.end();
  expect(io.err()).toBe(
    `Starting Temporal …\n${UP}Building the Tempo…\n${UP}Port 8233 is taken.\nBuilding the Tempo…\n${UP}`,
  );
});

test('elsewhere each is a line of its own, once', () => {
  const io = fakeIo();
  const line = createProgressLine(io);
  line.show('Starting Temporal …');
  line.show('Starting Temporal …');
  line.note('Port 8233 is taken.');
  line.end();
  expect(io.err()).toBe('Starting Temporal …\nPort 8233 is taken.\n');
});
