import { defineConfig } from 'reloop';
import { fibonacci } from './examples/fibonacci.ts';
import { girlfriend } from './examples/girlfriend.ts';

export default defineConfig({ agents: [fibonacci, girlfriend] });
