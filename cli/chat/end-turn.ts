import type { RunReport } from '../../client/report.ts';
import { asText } from '../../agent/vocabulary.ts';
import { exitCodes, failureOf } from '../exit-codes.ts';
import { errorLine } from '../follow/finish.ts';
import { printAnswer, printJson } from '../io.ts';
import { fit } from '../print/display.ts';
import { totalWords } from '../print/trace-words.ts';
import { withPage } from '../web-ui.ts';
import type { Chat, TurnEnd } from './chat-state.ts';

/** Says what a turn has come to; the exit code, where the chat ends with it. */
export async function endTurn(chat: Chat, id: string, end: TurnEnd): Promise<number | undefined> {
  switch (end.type) {
    case 'leave':
      return end.code;
    case 'detached':
      return undefined;
    case 'lost':
      return lost(chat, id, end.error);
    case 'over':
      chat.detached.delete(id);
      return over(chat, id, end.report);
  }
}

async function over(chat: Chat, id: string, report: RunReport): Promise<undefined> {
  const { terminal, options, link } = chat;
  const { bold, dim, red, yellow } = terminal.colors;
  const { status, stopReason, output, iterations, usage } = report;
  if (options.json === true) {
    const context = await link.server(terminal.io);
    printJson(terminal.io, await withPage(context, context.client.get(id)).describe());
  } else if (status === 'completed' || status === 'stopped') {
    printAnswer(terminal.io, asText(output));
  }
  const error = errorLine(report);
  terminal.write([
    ...(status === 'stopped' ? [yellow(`stopped (${stopReason ?? ''})`)] : []),
    ...(error === undefined ? [] : [red(error)]),
    ...(status === 'failed'
      ? [bold('/retry goes back to where it failed; the conversation leaves it out until then.')]
      : []),
    dim(fit(`  ${[`run ${id}`, ...totalWords(iterations, usage)].join(' · ')}`, terminal.width() - 1)),
    ' ',
  ]);
}

/** Nothing of it is lost: the next question opens what is missing again, and first goes on with this run. */
async function lost(chat: Chat, id: string, error: unknown): Promise<undefined> {
  const { terminal, link } = chat;
  const { code, line } = failureOf(error);
  const what =
    code === exitCodes.unreachable
      ? 'The Temporal server no longer answers.'
      : 'This turn cannot be followed any more.';
  terminal.write([
    terminal.colors.red(line),
    `${what} What was done is recorded: the next question goes on with run ${id} first.`,
  ]);
  await link.lose();
}
