/** A run on a web page, live, with a button for each decision on what waits. `npm run dev` does the work. */
import { type Server, createServer } from 'node:http';
import { Readable, pipeline } from 'node:stream';
import { json } from 'node:stream/consumers';
import { AgentClient, type OperatorDecision } from 'reloop/client';

const page = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A run</title>
<style>:root{color-scheme:light dark;font:1rem/1.5 system-ui}body{max-width:40rem;margin:2rem auto}p{white-space:pre-line}button{margin:0 .3rem;font:inherit}</style><script type="module">
const line = (id) => document.getElementById(id) ?? document.body.appendChild(Object.assign(document.createElement('p'), { id }));
const show = (id, textContent) => Object.assign(line(id), { textContent });
const decide = async (call, type, takes) => {
  const needed = Object.keys(takes).filter((name) => takes[name] === 'required').map((name) => [name, prompt(name)]);
  const body = JSON.stringify({ call, decision: { type, ...Object.fromEntries(needed) } });
  const answer = await fetch('/decide' + location.search, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!answer.ok) alert(await answer.text());
};
const events = new EventSource('/events' + location.search);
const on = (type, act) => events.addEventListener(type, ({ data }) => act(JSON.parse(data)));
on('run_started', ({ input }) => show('question', input));
on('model_text', ({ call, offset, delta }) => show(call, line(call).textContent.slice(0, offset) + delta));
on('model_ended', ({ call, turn }) => show(call, turn.text));
on('tool_started', ({ call, tool, toolInput }) => show(call, tool + ' ' + JSON.stringify(toolInput) + ' …'));
on('waiting', ({ wait: { call, tool, reason, error }, decisions }) => {
  show(call, [tool, reason, error?.message, ''].join(' · ')).append(...decisions.map(({ type, does, takes }) => Object.assign(document.createElement('button'),
    { textContent: type, title: does, onclick: () => decide(call, type, takes) })));
});
on('step', ({ step: { call, action, observation } }) => show(call, action.tool + ': ' + JSON.stringify(observation)));
on('run_ended', ({ status, output }) => { show('end', status + ': ' + output); events.close(); });
</script>`;

export function servePage(client: Pick<AgentClient, 'start' | 'get'>): Server {
  return createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const run = client.get(searchParams.get('run') ?? '');
    const answer = async () => {
      if (pathname === '/start') {
        const { id } = await client.start('payer', 'Pay invoice 4711.');
        return response.writeHead(303, { location: `/?run=${id}` }).end();
      }
      if (pathname === '/events') {
        const after = request.headers['last-event-id']?.toString();
        const { status, headers, body } = await run.toResponse({ after });
        response.writeHead(status, Object.fromEntries(headers));
        return body ? pipeline(Readable.fromWeb(body), response, () => undefined) : response.end();
      }
      // Another site's page cannot send JSON here. Who may decide is otherwise yours to say.
      if (pathname === '/decide' && request.headers['content-type'] === 'application/json') {
        const { call, decision } = (await json(request)) as { call: string; decision: OperatorDecision }; // the run checks it
        return response.end((await run.decide(call, decision)).call);
      }
      return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    };
    answer().catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
}

if (process.argv[1]?.endsWith('web-page.ts')) {
  const client = await AgentClient.connect(); // a running `npm run dev`, or TEMPORAL_ADDRESS
  servePage(client).listen(8080, '127.0.0.1', () => console.log('http://127.0.0.1:8080/start'));
}
