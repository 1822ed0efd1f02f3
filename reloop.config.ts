import { defineConfig } from 'reloop';
import { geographer } from './examples/batch.ts';
import { fibonacci } from './examples/fibonacci.ts';
import { girlfriend } from './examples/girlfriend.ts';
import { terse } from './examples/own-kind.ts';
import { counter } from './examples/own-parser.ts';
import { concierge } from './examples/own-prompt.ts';
import { payer } from './examples/payer.ts';
import { assistant } from './examples/start-run.ts';
import { comparison } from './examples/structured-output.ts';
import { editor, researcher } from './examples/sub-agent.ts';

/**
 * What `npm run dev` and `npm run worker` run here. Yours lists your own agents. The other examples have tools of the
 * same names, so each is a config of its own: `--config examples/weather.ts`, `apples.ts`, `industry.ts`.
 */
export default defineConfig({
  agents: [
    fibonacci,
    girlfriend,
    assistant,
    concierge,
    counter,
    terse,
    comparison,
    editor,
    researcher,
    geographer,
    payer,
  ],
});
