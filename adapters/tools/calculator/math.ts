import { createRequire } from 'node:module';
import { types } from 'node:util';
import { runInNewContext } from 'node:vm';
import type * as mathjs from 'mathjs';

export type Evaluated = { ok: true; value: string } | { ok: false; problem: string };

/** The computation took too long, so the text was a valid expression. */
export class ComputationTimeout extends Error {
  override name = 'ComputationTimeout';
}

const TIME_LIMIT_MS = 1000;

/**
 * The value of one expression as text. What it may contain is listed below, so that no input can do more than compute.
 * Throws ComputationTimeout.
 */
export function evaluate(expression: string, load: () => mathjs.MathJsInstance = loadMath): Evaluated {
  const math = load(); // before the clock starts: a cold or busy machine takes longer for this than any sum
  try {
    const compute = () => format(math, parse(math, expression).evaluate());
    // The only way to stop a computation on this thread: it must not keep heartbeats waiting.
    const value: unknown = runInNewContext('compute()', { compute }, { timeout: TIME_LIMIT_MS });
    return { ok: true, value: String(value) };
  } catch (error) {
    if (isTimeout(error)) {
      throw new ComputationTimeout(`The computation took longer than ${TIME_LIMIT_MS / 1000} s.`, {
        cause: error,
      });
    }
    // An error of the other context is not an instance of this one's Error.
    return { ok: false, problem: types.isNativeError(error) ? error.message : String(error) };
  }
}

function isTimeout(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function parse(math: mathjs.MathJsInstance, expression: string): mathjs.MathNode {
  const node = math.parse(normalize(expression));
  node.traverse((part) => refuseUnlisted(math, part));
  return node;
}

let instance: mathjs.MathJsInstance | undefined;

/** The bundle of mathjs: in the package the one that build-math.ts writes beside this file, from source mathjs's own. */
const bundleFile = import.meta.url.endsWith('.js') ? './mathjs.cjs' : 'mathjs/lib/browser/math.js';

/** Loaded when first needed, and as the one-file bundle: it takes a tenth of the time of the package's thousand files. */
export function loadMath(): mathjs.MathJsInstance {
  if (instance === undefined) {
    // The bundle's exports are the package's.
    const bundle = createRequire(import.meta.url)(bundleFile) as typeof mathjs;
    instance = bundle.create(bundle.all ?? {});
    // Each part is built when it is first used, which takes longer than loading; so use each once here, before a user
    // waits for it.
    instance.parse([...functions].join(' + ')).compile();
    instance.format(instance.evaluate('1 inch to cm'));
  }
  return instance;
}

/** Rewrites what people and models write: Python's power and `math.`, typographic operators, quotes around it, `=` after it. */
function normalize(expression: string): string {
  return withoutEquals(withoutQuotes(expression.trim()))
    .replaceAll('**', '^')
    .replaceAll(/\bmath\./gu, '')
    .replaceAll('×', '*')
    .replaceAll('÷', '/')
    .replaceAll('−', '-');
}

/** Around all of it, the same on both sides. By hand: a pattern would try every length of a long row of quotes. */
function withoutQuotes(text: string): string {
  let quotes = 0;
  const isQuote = (at: number) => `"'\``.includes(text[at] ?? ' ');
  const closes = (at: number) => text[at] === text[text.length - 1 - at];
  while (2 * (quotes + 1) < text.length && isQuote(quotes) && closes(quotes)) quotes++;
  return text.slice(quotes, text.length - quotes);
}

/** `=` or `= ?` at the end. */
function withoutEquals(text: string): string {
  const end = text.trimEnd().replace(/\?$/u, '').trimEnd();
  return end.endsWith('=') ? end.slice(0, -1).trimEnd() : text;
}

const nodeTypes = new Set([
  'ArrayNode',
  'ConditionalNode',
  'ConstantNode',
  'FunctionNode',
  'OperatorNode',
  'ParenthesisNode',
  'RelationalNode',
  'SymbolNode',
]);

/** Functions whose value is never larger than their arguments. */
const functions = new Set(
  `abs acos acosh acot acoth acsc acsch add arg asec asech asin asinh atan atan2 atanh bignumber cbrt ceil
  combinations complex conj cos cosh cot coth cross csc csch cube cumsum det divide dot dotDivide dotMultiply dotPow
  erf exp expm1 factorial fix floor fraction gamma gcd hypot im inv invmod isInteger isNaN isNegative isPositive
  isPrime isZero lcm lgamma log log10 log1p log2 mad max mean median min mod mode multiply norm nthRoot number
  permutations pow prod quantileSeq re round sec sech sign sin sinh sqrt square std subtract sum tan tanh to trace
  transpose unaryMinus unaryPlus variance xgcd`.split(/\s+/u),
);

function refuseUnlisted(math: mathjs.MathJsInstance, node: mathjs.MathNode): void {
  const { isConstantNode, isFunctionNode } = math;
  if (!nodeTypes.has(node.type)) throw new Error(`${node.type} is not part of an expression in numbers`);
  if (isConstantNode(node) && typeof node.value === 'string') throw new Error('it is a text');
  if (isFunctionNode(node) && !functions.has(node.fn.name)) throw new Error(`no function ${node.fn.name}`);
}

const valueTypes = new Set([
  'number',
  'bigint',
  'BigNumber',
  'Fraction',
  'boolean',
  'Complex',
  'Unit',
  'Array',
  'DenseMatrix',
  'SparseMatrix',
]);

/** Numbers as JavaScript writes them, also inside matrices, units and complex numbers. */
function format(math: mathjs.MathJsInstance, value: unknown): string {
  const type = math.typeOf(value);
  if (!valueTypes.has(type)) throw new Error(`its value is not a number but ${type}`);
  return math.format(value, { lowerExp: -6, upperExp: 21 });
}
