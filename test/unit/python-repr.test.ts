import { expect, test } from 'vitest';
import { pyRepr } from '../../agent/reply/python-repr.ts';

/** Right: what Python 3.11 prints for repr(json.loads(left)). */
test.each<[string, string]>([
  ['{}', '{}'],
  ['{"a":1,"b":[true,false,null]}', "{'a': 1, 'b': [True, False, None]}"],
  ['{ "a" : 1 ,\n\t"b" : { } }', "{'a': 1, 'b': {}}"],
  ['{"b":1,"2":2,"1":3}', "{'b': 1, '2': 2, '1': 3}"],
  ['"plain"', "'plain'"],
  [String.raw`"it's"`, `"it's"`],
  [String.raw`"say \"hi\""`, `'say "hi"'`],
  [String.raw`"it's \"hi\""`, String.raw`'it\'s "hi"'`],
  [String.raw`"a\nb\tc\rd\\e\/f"`, String.raw`'a\nb\tc\rd\\e/f'`],
  [String.raw`"\u0000\u001f\u007f\u0085\u00a0\u00ad"`, String.raw`'\x00\x1f\x7f\x85\xa0\xad'`],
  [String.raw`"\u200b\u2028\u3000\ufeff"`, String.raw`'\u200b\u2028\u3000\ufeff'`],
  [String.raw`"\ud800 \udb40\udc01"`, String.raw`'\ud800 \U000e0001'`],
  ['"Zürich 斐波那契 🎉"', "'Zürich 斐波那契 🎉'"],
  ['"{\\"a\\": true, null: 1.0}"', `'{"a": true, null: 1.0}'`],
  ['12345678901234567890', '12345678901234567890'],
  ['-0', '0'],
  ['-0.0', '-0.0'],
  ['1.0', '1.0'],
  ['1e3', '1000.0'],
  ['0.1', '0.1'],
  ['0.00012', '0.00012'],
  ['0.000012', '1.2e-05'],
  ['9999999999999998.0', '9999999999999998.0'],
  ['1e16', '1e+16'],
  ['1.5E+22', '1.5e+22'],
  ['5e-324', '5e-324'],
  ['-1e400', '-inf'],
])('%s is %s in Python', (json, repr) => {
  expect(pyRepr(json)).toBe(repr);
});
