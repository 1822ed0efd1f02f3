import { modelsOf } from '../../../agent/definition/agent-models.ts';
import { contentText } from '../../../agent/values/content.ts';
import type { WaitingCall } from '../../../agent/rules/waiting.ts';
import type { ExportedAgent, ExportedSubAgent, RunExport } from '../../../client/export/run-export.ts';
import { costWords, tokenWords } from '../words/usage-words.ts';
import { shellWord } from '../../../client/connect/cli-name.ts';
import { count } from '../words/amounts.ts';
import { byText, decisionText, restartText, steeringText, unheardText } from '../words/run-words.ts';
import type { Axis } from './axis.ts';
import { timeline } from './bars.ts';
import { facts, folded, labelled, pre, prose, questionBlock } from './blocks.ts';
import { type Html, html } from './html.ts';
import { requestsByCall } from './request-block.ts';
import { latestOf } from './spans.ts';
import { decisionData, turnSection } from './turn-section.ts';
import { badge, lasted, stateOfRun, utcTime, waitingFor } from './words.ts';
import type { RunNote } from '../../../agent/views/run-turns.ts';
import { type RunView, viewOf } from '../../../agent/views/view.ts';

export interface PageLayout {
  /** Prefix of the ids of the run's calls. */
  path: string;
  axis: Axis;
  end: number;
}

/** All of a run below its heading; a sub-agent's run is inside its call. */
export function runSection(
  exported: RunExport,
  place: PageLayout,
  view: RunView = viewOf(exported.run.id, exported.events),
): Html {
  const { all: turns, notes } = view.turns;
  const around = {
    ...place,
    requests: requestsByCall(exported.requests),
    subAgents: exported.subAgents,
    subAgent: (one: ExportedSubAgent) => subAgentSection(one, place),
  };
  return html`${outcome(exported)}
    <section class="card">
      <h2>Timeline</h2>
      ${times(exported, place)}${timeline(turns, place.axis, place.end)}${gapNotes(place.axis)}
    </section>
    <section>
      <h2>Steps</h2>
      <div class="turns">
        ${notesAt(notes, 0)}${turns.map((turn, index) => html`${turnSection(turn, around)}${notesAt(notes, index + 1)}`)}
      </div>
    </section>
    ${decisionsSection(exported, place)}${agentsSection(exported)}`;
}

/** Notes on the run from the time when `turns` turns had started. */
function notesAt(notes: readonly RunNote[], turns: number): Html {
  const shown = notes.filter(({ after }) => after === turns);
  return html`${shown.map(({ event }) => html`<div class="told"><time>${utcTime(event.at)}</time> ${told(event)}</div>`)}`;
}

function told(event: RunNote['event']): Html {
  switch (event.type) {
    case 'steered':
      return event.message.type === 'say'
        ? html`<b>Message${byText(event.message)}</b> ${prose(event.message.text)}`
        : html`<b>${steeringText(event.message)}</b>`;
    case 'unheard':
      return html`<b>${unheardText(event.messages)}</b> ${event.messages.map(prose)}`;
    case 'restarted':
      return html`<b>${restartText(event)}</b>`;
  }
}

function outcome({ run, agents, events }: RunExport): Html {
  const { input, output, status, error, waiting, usage, iterations, history } = run;
  const answered = status === 'completed' || status === 'stopped';
  const by = events.flatMap((event) => (event.type === 'run_started' ? [event.by] : []))[0];
  const totals: [string, string | undefined][] = [
    ['Started by', by],
    ['Steps', iterations.toLocaleString('en-US')],
    ['Model calls', usage.modelCalls.toLocaleString('en-US')],
    ['Tokens', tokenWords(usage)],
    ['Cost', costWords(usage).join('')],
    ['Models', [...new Set(agents.flatMap(modelNames))].join(', ')],
    ['History', `${count(history.events, 'event')}, ${count(history.bytes, 'byte')}`],
  ];
  return html`<section class="card">
    ${labelled('Question', questionBlock(input))} ${answered ? labelled('Answer', prose(output)) : ''}
    ${error === null ? '' : labelled('Error', html`<pre class="bad">${error.type}: ${error.message}</pre>`)}
    ${waiting.map((call) => waitingNote(run.id, call))}
    <dl>
      ${totals.map(([name, value]) =>
        value === undefined || value === ''
          ? html``
          : html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`,
      )}
    </dl>
  </section>`;
}

function waitingNote(id: string, call: WaitingCall): Html {
  return html`<p class="note warn">
    ${call.until === undefined ? 'Waits for a person' : `Waits until ${utcTime(call.until)}`}:
    ${waitingFor(call)}.
    <span class="at-terminal"><code>reloop show ${shellWord(id)}</code> says what can be done.</span>
  </p>`;
}

function times({ events }: RunExport, { end }: PageLayout): Html {
  const from = events[0]?.at;
  if (from === undefined) return html``;
  const to = latestOf(events) ?? end;
  return html`<p class="meta">${facts(`${utcTime(from)} to ${utcTime(to)}`, lasted(to - from))}</p>`;
}

function gapNotes({ gaps }: Axis): Html {
  if (gaps.length === 0) return html``;
  const longest = lasted(Math.max(...gaps.map(({ from, to }) => to - from)));
  const when = gaps.length === 1 ? longest : `${gaps.length} times, at most ${longest}`;
  return html`<p class="note">Grey: nothing ran (${when}). It is drawn shorter than it was.</p>`;
}

function subAgentSection({ id, n, export: exported }: ExportedSubAgent, place: PageLayout): Html {
  const again = n === 0 ? '' : ` (schedule ${n + 1})`;
  if (exported === null)
    return html`<p class="note">Sub-agent ${id}${again}: there is no record of its run.</p>`;
  const { agent, status, stopReason, usage, iterations } = exported.run;
  // The last part of its id names the call with its schedule.
  const path = `${place.path}${id.slice(id.lastIndexOf('/') + 1)}/`;
  return html`<details class="sub">
    <summary>
      Sub-agent <b>${agent}</b>${again} ${badge(stateOfRun(status, stopReason))}
      ${facts(count(iterations, 'step'), tokenWords(usage), ...costWords(usage))}
    </summary>
    <div class="body">${runSection(exported, { ...place, path })}</div>
  </details>`;
}

function decisionsSection({ decisions }: RunExport, { path }: PageLayout): Html {
  if (decisions.length === 0) return html``;
  const rows = decisions.map(
    ({ at, call, decision }) =>
      html`<li>
        <time>${utcTime(at)}</time>
        <a href="#${path}${call}">${call}</a> ${decisionText(decision)}${decisionData(decision)}
      </li>`,
  );
  return html`<section class="card">
    <h2>Decisions</h2>
    <ol class="notes">
      ${rows}
    </ol>
  </section>`;
}

function agentsSection({ agents }: RunExport): Html {
  return html`<section class="card">
    <h2>${agents.length > 1 ? 'Agents' : 'Agent'}</h2>
    ${agents.map(agentBlock)}
  </section>`;
}

function modelNames({ manifest }: Pick<ExportedAgent, 'manifest'>): string[] {
  return manifest === null ? [] : modelsOf(manifest).map(({ model }) => model);
}

function agentBlock({ manifest, question, scope }: ExportedAgent): Html {
  const named =
    manifest === null
      ? '(no definition is recorded)'
      : `${manifest.name}, ${manifest.kind}, ${modelNames({ manifest }).join(', then ')}`;
  const { chatHistory = [], variables = {} } = question ?? {};
  const said = chatHistory.map(
    ({ role, content }) => html`<div class="message"><b>${role}</b>${pre(contentText(content))}</div>`,
  );
  return html`<p class="meta">${facts(scope === 0 ? '' : `agent ${scope + 1} of this workflow`, named)}</p>
    ${scope === 0 || question === null ? '' : labelled('Question', questionBlock(question.input))}
    ${manifest === null ? '' : folded('Definition', pre(JSON.stringify(manifest, null, 2)), 'as it was pinned when the run started')}
    ${
      manifest === null || manifest.tools.length === 0
        ? ''
        : folded(
            'Tools',
            html`<ul>
              ${manifest.tools.map(({ name, description }) => html`<li><b>${name}</b>: ${description}</li>`)}
            </ul>`,
            count(manifest.tools.length, 'tool'),
          )
    }
    ${said.length === 0 ? '' : folded('Chat history', html`${said}`, count(said.length, 'message'))}
    ${Object.keys(variables).length === 0 ? '' : folded('Variables', pre(JSON.stringify(variables, null, 2)))}`;
}
