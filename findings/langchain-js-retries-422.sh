#!/usr/bin/env bash
# Software: @langchain/openai 1.6.0 with @langchain/core 1.4.0, and openai 7.59.0 (npm).
# Guess: LangChain.js sends a request again where OpenAI's client does: after 408, 409, 429 and 5xx, never after a 422.
# What happens: LangChain.js sends it again after a 422 and not after a 409. OpenAI's client does it the other way round.
#   Both clients have one retry here (`maxRetries: 1`), so that it is quick. LangChain's default is six: a 422 is sent seven times.
# Seen on 2026-11-27 (requests for one call, by the status of the answer):
#   LangChain.js: 400: 1, 409: 1, 422: 2, 502: 2
#   openai:       400: 1, 409: 2, 422: 1, 502: 2
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts @langchain/openai@1.6.0 @langchain/core@1.4.0 openai@7.59.0

cat > ask.mjs <<'JS'
import http from 'node:http';
import { ChatOpenAI } from '@langchain/openai';
import OpenAI from 'openai';

const requests = {};
const server = http.createServer((request, response) => {
  const [, who, status] = request.url.split('/');
  requests[`${who} ${status}`] = (requests[`${who} ${status}`] ?? 0) + 1;
  request.resume();
  response.writeHead(Number(status), { 'content-type': 'application/json' });
  response.end('{"error":{"message":"no","type":"some_error","param":null,"code":null}}');
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const base = `http://127.0.0.1:${server.address().port}`;
const statuses = [400, 409, 422, 502];
await Promise.allSettled(
  statuses.flatMap((status) => [
    new ChatOpenAI({
      model: 'm',
      apiKey: 'key',
      maxRetries: 1,
      configuration: { baseURL: `${base}/langchain/${status}` },
    }).invoke('Hello'),
    new OpenAI({ apiKey: 'key', maxRetries: 1, baseURL: `${base}/openai/${status}` }).chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  ]),
);
const counts = (who) => statuses.map((status) => `${status}: ${requests[`${who} ${status}`]}`).join(', ');
console.log(`LangChain.js: ${counts('langchain')}`);
console.log(`openai:       ${counts('openai')}`);
process.exit(0);
JS
timeout 40 node ask.mjs | tee seen
printf '%s\n' 'LangChain.js: 400: 1, 409: 1, 422: 2, 502: 2' 'openai:       400: 1, 409: 2, 422: 1, 502: 2' > expected
diff expected seen
