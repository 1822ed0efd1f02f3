import { describe, expect, test } from 'vitest';
import { WIDTH, axisOf } from '../../cli/export-page/axis.ts';

const HOUR = 3_600_000;

describe('the axis of a timeline', () => {
  test('is to scale where nothing is long and empty', () => {
    const axis = axisOf(
      [
        { from: 0, to: 40 },
        { from: 45, to: 100 },
      ],
      { from: 0, to: 100 },
    );
    expect([0, 20, 45, 100].map((at) => axis.place(at) / WIDTH)).toEqual([0, 0.2, 0.45, 1]);
    expect(axis.gaps).toEqual([]);
  });

  test('draws hours in which nothing ran shorter than the seconds in which something did', () => {
    const axis = axisOf(
      [
        { from: 0, to: 1000 },
        { from: HOUR, to: HOUR + 1000 },
      ],
      { from: 0, to: HOUR + 1000 },
    );
    expect(axis.gaps).toEqual([{ from: 1000, to: HOUR, isGap: true, width: 160 }]);
    const [end, again] = [axis.place(1000), axis.place(HOUR)];
    expect(end / WIDTH).toBeCloseTo(1000 / 2160);
    expect(again / WIDTH).toBeCloseTo(1160 / 2160);
    expect(axis.place(HOUR / 2)).toBeGreaterThan(end);
    expect(axis.place(HOUR / 2)).toBeLessThan(again);
  });

  test('leaves two thirds to what ran, however many such hours there are', () => {
    const ran = Array.from({ length: 50 }, (_, hour) => ({ from: hour * HOUR, to: hour * HOUR + 1000 }));
    const axis = axisOf(ran, { from: 0, to: 49 * HOUR + 1000 });
    const shown = ran.reduce((total, { from, to }) => total + axis.place(to) - axis.place(from), 0);
    expect(shown / WIDTH).toBeCloseTo(2 / 3);
  });

  test('takes what ran side by side, and out of order, as one', () => {
    const axis = axisOf(
      [
        { from: 50, to: 100 },
        { from: 0, to: 60 },
      ],
      { from: 0, to: 100 },
    );
    expect(axis.place(55) / WIDTH).toBeCloseTo(0.55);
  });

  test('has a place for every time where nothing ran at all, or no time passed', () => {
    expect(axisOf([], { from: 0, to: 100 }).place(50)).toBe(WIDTH / 2);
    expect(axisOf([], { from: 5, to: 5 }).place(5)).toBe(0);
  });
});
