import { modelWords } from '../../../agent/definition/agent-models.ts';
import type { WaitingCall } from '../../../agent/rules/waiting.ts';
import type { ExportedSubAgent } from '../../../client/export/run-export.ts';
import { costWords, tokenWords, totalTokenWords, wordCount } from '../words/usage-words.ts';
import { count } from '../words/amounts.ts';
import { changeText, decisionText, thoughtIn, tries } from '../words/run-words.ts';
import type { Axis } from './axis.ts';
import { turnBar } from './bars.ts';
import { facts, folded, labelled, pre, preview, prose } from './blocks.ts';
import { type Html, html } from './html.ts';
import { type ShownRequest, requestBlock } from './request-block.ts';
import { lasting, running } from './spans.ts';
import { badge, isLimit, lasted, stateOfCall, stateOfTurn, utcTime, waitingFor } from './words.ts';
import type { ShownCall, Note, ShownTurn, Work } from '../../../agent/views/run-turns.ts';

/** Context of a section, beside its own part of the run. */
export interface TurnContext {
  /** Prefix of the ids on the page: each run has calls of the same names. */
  path: string;
  axis: Axis;
  /** End of calls that are still open. */
  end: number;
  requests: Map<string, ShownRequest>;
  subAgents: readonly ExportedSubAgent[];
  subAgent(exported: ExportedSubAgent): Html;
}

/** A turn: one line with its result, and its whole record folded below. */
export function turnSection(turn: ShownTurn, around: TurnContext): Html {
  const { path, axis, end, requests } = around;
  const request = requests.get(turn.call);
  return html`<details class="turn" id="${path}${turn.call}">
    <summary>
      <span class="number">${turn.call}</span>
      <span class="what">${whatOf(turn)}</span>
      <span class="cost">${costsOf(turn, end)}</span>
      ${turnBar(turn, axis, end)}
    </summary>
    <div class="body">
      ${replyBlocks(turn, end)}${notesList(turn.notes)}${request && requestBlock(request)}
      ${turn.calls.map((call) => callSection(call, around))}
    </div>
  </details> `;
}

function costsOf(turn: ShownTurn, end: number): Html {
  const usage = turn.reply?.turn.usage;
  return facts(
    ranFor(end, turn, ...turn.calls),
    usage && totalTokenWords(usage).replace(/tokens?/, 'tok'),
    ...(usage ? costWords(usage) : []),
  );
}

/** Running time, without waits for a person. */
function ranFor(end: number, ...works: Work[]): string | undefined {
  const times = works.flatMap((work) => running(work, end));
  return times.length === 0 ? undefined : lasted(lasting(times));
}

/** A turn on one line: its decision, and anything unusual. */
function whatOf(turn: ShownTurn): Html {
  const { reply, calls } = turn;
  const state = stateOfTurn(turn);
  const told = state && badge(state);
  const [first, ...others] = calls;
  if (first === undefined) {
    const decision = reply?.turn.decision;
    if (decision?.type === 'finish') return html`<b>answer</b> ${told}${preview(decision.output)}`;
    const what = isLimit(turn) ? 'limit' : 'model call';
    return html`<b>${reply === undefined ? what : (decision?.type ?? '')}</b> ${told}`;
  }
  const states = calls.flatMap((call) => stateOfCall(call) ?? []);
  const words = [...new Map(states.map((one) => [one.word, one])).values()];
  const more =
    others.length === 0 ? '' : html`<span class="dim">and ${count(others.length, 'more call')}</span> `;
  return html`<b>${first.action.tool}</b>
    ${told}${words.map(badge)}${more}${preview(first.action.toolInput)}`;
}

function replyBlocks(turn: ShownTurn, end: number): Html {
  const { reply } = turn;
  if (reply === undefined) return html``;
  const {
    text,
    toolCalls = [],
    reasoning,
    decision,
    finishReason,
    answeredBy,
    agent,
    usage,
    warnings = [],
    changes = [],
    cached,
    shortened,
  } = reply.turn;
  const thought = thoughtIn(reply.turn);
  const raw = toolCalls.length === 0 ? text : `${text}\n${JSON.stringify(toolCalls, null, 2)}`.trim();
  const remarks = [
    ...warnings,
    ...changes.map(changeText),
    ...(shortened === true ? ['The context was too long: the oldest observations were shortened.'] : []),
    ...(decision.type === 'fail' ? [`${decision.error.type}: ${decision.error.message}`] : []),
    ...(decision.type === 'stop' ? ['The same action too many times in a row: the run was stopped.'] : []),
  ];
  return html`<p class="meta">
      ${facts(
        utcTime(reply.at),
        agent,
        answeredBy && modelWords(answeredBy),
        ranFor(end, turn),
        ...tries(reply.attempts),
        tokenWords(usage),
        ...costWords(usage),
        `finish: ${finishReason}`,
        cached === true ? 'from the cache' : undefined,
        reply.closing === true ? 'asked for its answer at the limit' : undefined,
      )}
    </p>
    ${reasoning === undefined ? '' : folded('Reasoning', html`${pre(reasoning)}`, wordCount(reasoning))}
    ${thought === '' ? '' : labelled('Thought', prose(thought))}
    ${remarks.map((remark) => html`<p class="note warn">${remark}</p>`)}
    ${decision.type === 'compact' ? labelled('Summary of the steps before', prose(text)) : ''}
    ${decision.type === 'finish' ? labelled('Answer', prose(decision.output)) : ''}
    ${folded('Reply', html`${pre(raw)}`, 'as the model wrote it')}`;
}

function callSection(call: ShownCall, around: TurnContext): Html {
  const { action, step } = call;
  const state = stateOfCall(call) ?? ({ tone: 'good', word: 'done' } as const);
  const runs = around.subAgents.filter((one) => one.call === call.call);
  return html`<section class="call" id="${around.path}${call.call}">
    <h3>
      <span class="number">${call.call}</span> ${action.tool} ${badge(state)}
      ${facts(ranFor(around.end, call), ...tries(step?.attempts ?? 0))}
    </h3>
    ${labelled('Input', pre(action.toolInput))}${notesList(call.notes)}
    ${runs.map((run) => around.subAgent(run))}
    ${(step?.changes ?? []).map((change) => html`<p class="note warn">${changeText(change)}</p>`)}
    ${step === undefined ? '' : labelled('Observation', pre(step.observation))}
  </section> `;
}

function notesList(notes: readonly Note[]): Html {
  if (notes.length === 0) return html``;
  const items = notes.map((note) => html`<li><time>${utcTime(note.at)}</time> ${noteBlock(note)}</li>`);
  return html`<ol class="notes">
    ${items}
  </ol>`;
}

function noteBlock(note: Note): Html {
  switch (note.type) {
    case 'failed': {
      const { error, attempts } = note;
      const after = attempts > 1 ? html` <span class="dim">after ${count(attempts, 'attempt')}</span>` : '';
      return html`${badge({ tone: 'bad', word: 'failed' })}${after}${pre(`${error.type}: ${error.message}`)}`;
    }
    case 'waiting': {
      const { wait } = note;
      const ends = wait.until === undefined ? 'for a person' : `until ${utcTime(wait.until)}`;
      return html`${badge({ tone: 'wait', word: 'waiting' })} ${ends}:
      ${waitingFor(wait)}${reasonBlocks(wait)}`;
    }
    case 'reconciled': {
      const why = note.error === undefined ? '' : pre(`${note.error.type}: ${note.error.message}`);
      return html`${badge({ tone: 'busy', word: 'reconcile' })} says: ${note.found}${why}`;
    }
    case 'unanswered':
      return html`${badge({ tone: 'wait', word: 'no decision' })} in time${inside(note.call)}`;
    case 'edited':
      return html`${badge({ tone: 'busy', word: 'changed' })} the observation, which
      was${pre(note.observation)}`;
    case 'input':
      return html`${badge({ tone: 'quiet', word: 'other input' })}${pre(note.toolInput)}`;
    case 'decided':
      return html`${badge({ tone: 'busy', word: 'decided' })}
      ${decisionText(note.decision)}${decisionData(note.decision)}`;
  }
}

/** A failure that is already shown above is not repeated. */
function reasonBlocks({ reason, error, note }: WaitingCall): Html {
  const why = error === undefined || reason === 'failed' ? '' : pre(error.message);
  return html`${why}${note === undefined || note === null || note === '' ? '' : pre(note)}`;
}

/** A call of a sub-agent, shown inside the sub-agent's call. */
function inside(call: string): string {
  return call.includes('/') ? ` (${call})` : '';
}

/** Data that a person gave with a decision; the reason is shown beside the decision's name. */
export function decisionData(decision: Extract<Note, { type: 'decided' }>['decision']): Html {
  const { type: _, reason: __, by: ___, ...data } = { reason: undefined, ...decision };
  return html`${Object.entries(data).map(([name, value]) => labelled(name, pre(value ?? null)))}`;
}
