import { defineConfig } from 'reloop';
import { fibonacci } from './examples/fibonacci.ts';
import { girlfriend } from './examples/girlfriend.ts';
import { assistant } from './examples/start-run.ts';

/** What `npm run dev` and `npm run worker` run here. Yours lists your own agents. */
export default defineConfig({ agents: [fibonacci, girlfriend, assistant] });
