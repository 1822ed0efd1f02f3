import type { WaitingCall } from '../../agent/events.ts';
import { type DecisionName, decisionNames, ruleOf } from '../../agent/rules/decisions.ts';
import { stateOf } from '../../agent/rules/waiting.ts';
import { asText } from '../../agent/vocabulary.ts';
import { count, firstRows, fit, padTo } from '../print/display.ts';
import { harmless } from '../print/harmless.ts';
import { waitingText } from '../print/trace-words.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import { awaitsText, fittingWords } from './typed-decision.ts';

const INPUT_ROWS = 8;

/** What waits, why, and what can be typed. */
export function offerLines(
  waiting: WaitingCall,
  others: number,
  { colors, width }: Pick<ChatTerminal, 'colors' | 'width'>,
): string[] {
  const { bold, dim, yellow } = colors;
  const { kind } = stateOf(waiting);
  const input = firstRows(harmless(asText(waiting.toolInput)), INPUT_ROWS, width() - 4);
  const more = input.cut > 0 ? ' …' : '';
  const rows = fittingWords(waiting).flatMap((word) => rowsOf(word, waiting));
  const cells = Math.max(...rows.map(({ usage }) => usage.length)) + 2;
  const slash = awaitsText(waiting) ? '/' : '';
  return [
    `  ${bold(yellow(harmless(waitingText(waiting, false))))}`,
    ...(kind === 'tool' ? `${input.text}${more}`.split('\n').map((line) => `    ${line}`) : []),
    ...(awaitsText(waiting) ? [dim('  What you type is its result. Or:')] : []),
    ...rows.map(({ usage, does }) => dim(fit(`    ${slash}${padTo(usage, cells)}${does}`, width() - 1))),
    ...(others > 0
      ? [dim(`  ${count(others, 'more call')} after it; a call's id behind the word names one of them`)]
      : []),
  ];
}

interface Row {
  usage: string;
  does: string;
}

function rowsOf(word: string, waiting: WaitingCall): Row[] {
  const name = decisionNames.find((known) => known === word);
  if (name === undefined) return [{ usage: `${word} [BY]`, does: 'raise the limit and go on' }];
  const { does, takes } = ruleOf(name);
  return [
    { usage: `${name}${behind(name, waiting)}`, does: does.charAt(0).toLowerCase() + does.slice(1) },
    ...(takes.remember === undefined
      ? []
      : [
          {
            usage: `${name} remember tool`,
            does: 'the same, and do not ask again for this tool in this run',
          },
        ]),
  ];
}

/** What may be typed behind a decision, or has to be. */
function behind(name: DecisionName, waiting: WaitingCall): string {
  const { takes } = ruleOf(name);
  if (takes.output !== undefined) return ' RESULT';
  if (takes.input !== undefined) return stateOf(waiting).kind === 'tool' ? ' [INPUT]' : '';
  return takes.reason === undefined ? '' : ' [WHY]';
}
