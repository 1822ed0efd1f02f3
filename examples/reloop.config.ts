import { defineConfig } from 'reloop';
import { host } from './background.ts';
import { geographer } from './batch.ts';
import { fibonacci } from './fibonacci.ts';
import { girlfriend } from './girlfriend.ts';
import { terse } from './own-kind.ts';
import { counter } from './own-parser.ts';
import { concierge } from './own-prompt.ts';
import { payer } from './payer.ts';
import { assistant } from './start-run.ts';
import { comparison } from './structured-output.ts';
import { editor, researcher } from './sub-agent.ts';

/**
 * The agents that `npm run dev` and `npm run worker` serve. Your config lists your own agents. The other examples have tools of the
 * same names, so each is a config of its own: `--config weather.ts`, `apples.ts`, `industry.ts`.
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
    host,
  ],
});
