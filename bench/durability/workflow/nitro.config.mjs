// Docs of Workflow 4.8 in its package: "Getting started, Nitro", and "Postgres World": a plugin starts the world.
import { defineConfig } from 'nitro';

export default defineConfig({
  modules: ['workflow/nitro'],
  plugins: ['./app/start-world.mjs'],
  routes: { '/runs': './app/runs.mjs' },
  output: { dir: process.env.BUILD_FOLDER },
});
