import { expect, test } from 'vitest';
import { splitAt } from '../../../../cli/shell/display.ts';

test.each(['', 'a', 'plain text', 'cut … here'])(
  'a text without wide characters is cut like others: "%s"',
  (text) => {
    // A wide character behind it takes the way of all other texts.
    const wide = `${text}漢`;
    for (let cells = 0; cells <= text.length; cells++) {
      const { text: start, cells: used } = splitAt(wide, cells);
      expect(splitAt(text, cells)).toEqual({ text: start, rest: text.slice(start.length), cells: used });
    }
    expect(splitAt(text, Infinity)).toEqual({ text, rest: '', cells: text.length });
  },
);
