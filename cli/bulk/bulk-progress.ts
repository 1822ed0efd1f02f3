import { type Io, say } from '../io.ts';
import { fit } from '../print/display.ts';
import { createLiveRegion } from '../print/live-region.ts';

/** How far something has come: in place on a terminal, a line now and then elsewhere. */
export interface Progress {
  show(done: number, refused: number): void;
  /** A line that stays. */
  note(line: string): void;
  end(): void;
}

/** Lines where nothing can be written in place. */
const LINES = 10;

export function createProgress(io: Io, total: number): Progress {
  const { stderr, env } = io;
  const words = (done: number, refused: number) =>
    `${done + refused} of ${total}${refused === 0 ? '' : `, ${refused} refused`}`;
  if (stderr.isTTY === true && env['TERM'] !== 'dumb') {
    const region = createLiveRegion((text) => stderr.write(text));
    let now = words(0, 0);
    const draw = () => region.show([fit(now, (stderr.columns ?? 80) - 1)]);
    draw();
    return {
      show(done, refused) {
        now = words(done, refused);
        draw();
      },
      note(line) {
        region.clear();
        say(io, line);
        draw();
      },
      end: region.clear,
    };
  }
  const every = Math.max(10, Math.ceil(total / LINES));
  return {
    show(done, refused) {
      const count = done + refused;
      if (count % every === 0 && count < total) say(io, words(done, refused));
    },
    note: (line) => say(io, line),
    end: () => undefined,
  };
}
