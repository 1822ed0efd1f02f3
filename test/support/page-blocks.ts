/** A fenced block of a page, and what the comments around it say to the tests. */
export interface Block {
  /** The word behind the fence; '' where there is none. */
  language: string;
  lines: string[];
  /** Of the first line within, from 1. */
  line: number;
  /** Of `<!-- name: value -->` right before the block. */
  notes: { [name: string]: string };
  /** Of `<!-- expect: text -->` right behind it, in order. */
  expected: string[];
}

const FENCE = /^ {0,3}```(\S*)/u;
const NOTE = /^<!-- ([a-z ]+): (.*) -->$/u;

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let notes: { [name: string]: string } = {};
  let last: Block | undefined;
  for (const [index, text] of page.split('\n').entries()) {
    const fence = FENCE.exec(text);
    if (open !== undefined && fence === null) open.lines.push(text);
    else if (open !== undefined) open = undefined;
    else if (fence !== null) {
      open = { language: fence[1] ?? '', lines: [], line: index + 2, notes, expected: [] };
      blocks.push(open);
      [last, notes] = [open, {}];
    } else if (text !== '') {
      const [, name = '', value = ''] = NOTE.exec(text) ?? [];
      if (name === 'expect') last?.expected.push(value);
      else if (name === '') [last, notes] = [undefined, {}];
      else notes = { ...notes, [name]: value };
    }
  }
  return blocks;
}

/** A file that a block is, by its first line: `// shop.ts`, `# Dockerfile`. */
export function fileOf({ lines: [first = ''] }: Block): string | undefined {
  return /^(?:\/\/|#) ([\w.-]+\.\w+|Dockerfile)$/u.exec(first)?.[1];
}
