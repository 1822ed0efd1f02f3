#!/usr/bin/env bash
# Software: ai 6.0.325 and ai 7.0.173 (npm).
# Guess: both send and take version v1 of the UI message stream, so a page with AI SDK 6 reads the whole stream of a server
#   with AI SDK 7; a finish reason that it does not know it passes over, as it does with an unknown event field.
# What happens: AI SDK 7 added the finish reason "interrupted" without a new version of the stream. AI SDK 6 checks the list
#   of reasons, and refuses the stream in its last chunk, after all of the text.
# Seen on 2026-11-27:
#   ai 6.0.325: stop: Hello; interrupted: AI_TypeValidationError
#   ai 7.0.173: stop: Hello; interrupted: Hello
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat > read.mjs <<'JS'
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { DefaultChatTransport, readUIMessageStream } from 'ai';

const answer = (finishReason) => [
  { type: 'start' },
  { type: 'start-step' },
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Hello' },
  { type: 'text-end', id: '1' },
  { type: 'finish-step' },
  { type: 'finish', finishReason },
];
const server = http.createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1' });
  for (const chunk of answer(request.url.slice(1))) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));

async function read(finishReason) {
  const transport = new DefaultChatTransport({ api: `http://127.0.0.1:${server.address().port}/${finishReason}` });
  const messages = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
  try {
    const stream = await transport.sendMessages({ chatId: 'c', messages, trigger: 'submit-message' });
    let last;
    for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
    return last.parts.find((part) => part.type === 'text').text;
  } catch (error) {
    return error.name;
  }
}
const { version } = JSON.parse(readFileSync(new URL('node_modules/ai/package.json', import.meta.url), 'utf8'));
console.log(`ai ${version}: stop: ${await read('stop')}; interrupted: ${await read('interrupted')}`);
process.exit(0);
JS

for version in 6.0.325 7.0.173; do
  mkdir "$version"
  cp read.mjs "$version"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$version" "ai@$version"
  timeout 20 node "$version/read.mjs" | tee -a seen
done
printf '%s\n' \
  'ai 6.0.325: stop: Hello; interrupted: AI_TypeValidationError' \
  'ai 7.0.173: stop: Hello; interrupted: Hello' > expected
diff expected seen
