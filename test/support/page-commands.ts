import { type Block, blocksOf, fileOf } from './page-blocks.ts';

/** What a page has its reader do, in order: type a command, or write a file. */
export type PageStep = Command | { file: string; text: string; line: number };

export interface Command {
  command: string;
  /** In the page, from 1. */
  line: number;
  /** All that it prints, where the page shows it (a `console` block). */
  output?: string;
  /** Texts that it prints, by `<!-- expect: … -->` behind the block; of the block's last command. */
  expected: readonly string[];
  /** Its exit code, by `<!-- exit: … -->` before the block; default: 0, `null`: whatever it is. */
  exit: number | null;
  /** It goes on until the page ends, and is there when it has printed this: by `<!-- stays: … -->` before the block. */
  stays?: string;
  /** Why no test types it, by `<!-- not run: … -->` before the block. */
  notRun?: string;
}

/** `sh`: the commands, one a line, and nothing else. `console`: commands behind `$`, and what they print. */
export function stepsOf(page: string): PageStep[] {
  return blocksOf(page).flatMap((block): PageStep[] => {
    if (block.language === 'console') return transcriptsOf(block);
    if (block.language === 'sh') return plainCommandsOf(block);
    const file = fileOf(block);
    return file === undefined ? [] : [{ file, text: `${block.lines.join('\n')}\n`, line: block.line }];
  });
}

export function isCommand(step: PageStep): step is Command {
  return 'command' in step;
}

const PROMPT = '$ ';

function transcriptsOf(block: Block): Command[] {
  const found: { command: string; line: number; output: string[] }[] = [];
  for (const [index, text] of block.lines.entries()) {
    if (text.startsWith(PROMPT))
      found.push({ command: text.slice(PROMPT.length), line: block.line + index, output: [] });
    else found.at(-1)?.output.push(text);
  }
  return found.map(({ command, line, output }) => ({
    ...conditions(block),
    command,
    line,
    output: output.join('\n'),
    // What a transcript shows is compared; the exit code it shows by `echo $?`.
    exit: null,
  }));
}

function plainCommandsOf(block: Block): Command[] {
  const commands: { command: string; line: number }[] = [];
  let before = '';
  for (const [index, text] of block.lines.entries()) {
    const line = before + text.trim();
    before = line.endsWith('\\') ? line.slice(0, -1) : '';
    if (before === '' && line !== '' && !line.startsWith('#'))
      commands.push({ command: line, line: block.line + index });
  }
  const { expected, stays, exit, ...common } = conditions(block);
  return commands.map((command, index) =>
    // What is said of a block is said of its last command.
    index < commands.length - 1
      ? { ...common, ...command, expected: [], exit: 0 }
      : { ...common, ...command, expected, exit, ...(stays === undefined ? {} : { stays }) },
  );
}

function conditions({ notes, expected }: Block): Omit<Command, 'command' | 'line'> {
  const { exit = '0', stays, 'not run': notRun } = notes;
  return {
    expected,
    exit: /^\d+$/u.test(exit) ? Number(exit) : null,
    ...(stays === undefined ? {} : { stays }),
    ...(notRun === undefined ? {} : { notRun }),
  };
}
