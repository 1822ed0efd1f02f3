#!/usr/bin/env bash
# A page of CopilotKit in Chromium: its chat and the hooks `useFrontendTool`, `useAgentContext` and `useInterrupt`, behind its runtime. By hand:
# it installs 760 MB. Seen with 1.74.0, the newest version whose hooks npm has: `shop` calls the page's tool, gets its result, and has the
# context; a click on the page approves a call of `payer`.
export AGENTS="
const shop = defineAgent({ kind, name: 'shop', clientTools: true, model: calling('Let us see.', 'pick', { shade: 'dark' }, 'Dark red suits you.') });
agents.push(shop);"
. "$(dirname "$(readlink -f "$0")")/lib.sh"
mkdir "$dir/page"
cd "$dir/page"
echo '{ "private": true, "type": "module" }' > package.json
npm install --ignore-scripts --no-audit --no-fund --loglevel=error @copilotkit/{react-core,core,runtime}@1.74.0 react@19.3.1 react-dom@19.3.1 zod@4.6.7 \
  esbuild@0.27.2 playwright-core@1.65.1 > install.log 2>&1 || { cat install.log; exit 1; }
cat > page.jsx <<'P'
import { CopilotChat, CopilotKitProvider, useAgentContext, useFrontendTool, useInterrupt } from '@copilotkit/react-core/v2';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';

window.picked = [];
const agentId = new URLSearchParams(location.search).get('agent');
function Chat() {
  useAgentContext({ description: 'The cart', value: 'three hats' });
  useFrontendTool({
    agentId: 'shop',
    name: 'pick',
    description: 'Lets the user pick a colour.',
    parameters: z.object({ shade: z.string() }),
    handler: async ({ shade }) => { window.picked.push(shade); return `${shade} red`; },
  });
  useInterrupt({ agentId, render: ({ interrupt, resolve }) => <button id="approve" onClick={() => resolve({ approved: true })}>Approve: {interrupt?.message}</button> });
  return <CopilotChat agentId={agentId} />;
}
createRoot(document.body.appendChild(document.createElement('div'))).render(<CopilotKitProvider runtimeUrl="/api"><Chat /></CopilotKitProvider>);
P
npx esbuild page.jsx --bundle --jsx=automatic --format=esm --outfile=page.js --loader:.woff2=dataurl --loader:.woff=dataurl --loader:.ttf=dataurl --log-level=error
cat > page.mjs <<'P'
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { HttpAgent } from '@ag-ui/client';
import { CopilotRuntime } from '@copilotkit/runtime/v2';
import { createCopilotNodeListener } from '@copilotkit/runtime/v2/node';
import { chromium } from 'playwright-core';

const [base, token] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const agents = Object.fromEntries(['shop', 'payer'].map((agent) => [agent, new HttpAgent({ url: `${base}/ag-ui/${agent}`, headers })]));
const api = createCopilotNodeListener({ runtime: new CopilotRuntime({ agents }), basePath: '/api' });
const files = { '/': ['text/html', '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>'], '/page.js': ['text/javascript', readFileSync('page.js')] };
const server = createServer((request, response) => {
  const [type, body] = files[new URL(request.url, 'http://page').pathname] ?? [];
  if (type === undefined) return api(request, response);
  response.writeHead(200, { 'content-type': type }).end(body);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
const ask = async (agent, question) => {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/?agent=${agent}`);
  await page.locator('textarea').fill(question);
  await page.keyboard.press('Enter');
  return page;
};
const shop = await ask('shop', 'Which colour suits me?');
await shop.getByText('Dark red suits you.').waitFor({ timeout: 60_000 });
console.log('the page picked', await shop.evaluate(() => window.picked));
const payer = await ask('payer', 'Pay order A-17 back.');
await payer.locator('#approve').waitFor({ timeout: 60_000 });
console.log('the button says', await payer.locator('#approve').innerText());
await payer.locator('#approve').click();
await payer.getByText('It is paid back.').waitFor({ timeout: 60_000 });
for (const [name, page] of Object.entries({ shop, payer })) if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/${name}.png` });
await browser.close();
process.exit(0);
P
cd "$dir/app"
start_agents
cd "$dir/page"
COPILOTKIT_TELEMETRY_DISABLED=true DO_NOT_TRACK=1 timeout 200 node page.mjs "$base" "$key"
cd "$dir/app"
echo "runs: shop $(runs shop), payer $(runs payer)"
[ "$(runs shop) $(runs payer)" = '1 1' ]
run=$(curl -s "$base/runs?agent=shop" -H "Authorization: Bearer $key" | python3 -c 'import json, sys; print(json.load(sys.stdin)["runs"][0]["id"])')
reloop show "$run" --json --address "127.0.0.1:$temporal" > shop.json
grep -q 'dark red' shop.json && grep -q 'three hats' shop.json
