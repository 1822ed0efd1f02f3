/** Differences between two texts, line by line. */

/** @typedef {{ type: 'same' | 'removed' | 'added' | 'gap', text: string }} DiffLine */

/** Unchanged lines that are kept around a change. */
const CONTEXT = 3;
/** Texts with more pairs of changed lines are shown as replaced: the table of all pairs would be too large. */
const MOST_PAIRS = 1_000_000;

/**
 * The lines of both texts; of long unchanged parts their size only.
 * @param {string} before
 * @param {string} after
 */
export function diffLines(before, after) {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return folded([
    ...lines('same', a.slice(0, start)),
    ...changes(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...lines('same', a.slice(a.length - end)),
  ]);
}

/**
 * By the longest common subsequence.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {DiffLine[]}
 */
function changes(a, b) {
  if (a.length * b.length > MOST_PAIRS) return [...lines('removed', a), ...lines('added', b)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (/** @type {number} */ row, /** @type {number} */ column) => lengths[row * width + column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--) {
    for (let column = b.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        a[row] === b[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  /** @type {DiffLine[]} */
  const found = [];
  let [row, column] = [0, 0];
  while (row < a.length || column < b.length) {
    const [left, right] = [a[row], b[column]];
    if (left !== undefined && left === right) {
      found.push({ type: 'same', text: left });
      row++;
      column++;
    } else if (left !== undefined && (right === undefined || at(row + 1, column) >= at(row, column + 1))) {
      found.push({ type: 'removed', text: left });
      row++;
    } else {
      found.push({ type: 'added', text: right ?? '' });
      column++;
    }
  }
  return found;
}

/**
 * @param {DiffLine['type']} type
 * @param {string[]} texts
 * @returns {DiffLine[]}
 */
function lines(type, texts) {
  return texts.map((text) => ({ type, text }));
}

/**
 * @param {DiffLine[]} all
 * @returns {DiffLine[]}
 */
function folded(all) {
  const isNear = all.map((_, index) =>
    all.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ type }) => type !== 'same'),
  );
  /** @type {DiffLine[]} */
  const kept = [];
  for (let index = 0; index < all.length; index++) {
    const line = all[index];
    if (line !== undefined && isNear[index] === true) {
      kept.push(line);
      continue;
    }
    const from = index;
    while (index + 1 < all.length && isNear[index + 1] !== true) index++;
    const count = index - from + 1;
    kept.push({ type: 'gap', text: `${count} unchanged ${count === 1 ? 'line' : 'lines'}` });
  }
  return kept;
}
