import { arrows, outside } from './.ci/arrows.mjs';

const folders = Object.keys(arrows);
/** The one file of the product that imports the SDK's internals. */
const INTERNALS = 'history/read/payloads.ts';
/** The one file of the simulator that does. */
const SIMULATED_SDK = 'test/simulation/sdk.ts';

/** The rules against imports of one folder, seen from one of its rooms. */
function importRules(folder, room) {
  const { rooms, roles = {}, ...usual } = arrows[folder];
  const { imports, temporal, packages = true } = roles[room] ?? usual;
  const forbidden = [
    ...folders.filter((other) => other !== folder && imports[other] === undefined),
    ...outside,
  ];
  const patterns = [
    {
      regex: `^(reloop($|/)|(\\.\\./)+((${forbidden.map((other) => seenFrom(folder, other)).join('|')})/|index\\.ts$))`,
      message: `${folder}/ imports ${Object.keys(imports).join('/, ') || 'only itself'}: see .ci/arrows.mjs.`,
    },
    ...Object.entries(imports).flatMap(([other, what]) =>
      what === true ? [] : [partOf(folder, other, what)],
    ),
    ...temporalRules(folder, temporal, packages),
  ];
  const higher = room === undefined ? [] : rooms.slice(rooms.indexOf(room) + 1);
  if (higher.length > 0) {
    patterns.push({
      regex: `^(\\.\\./)+(${higher.join('|')})/`,
      message: `${folder}/${room}/ stands below that room: see .ci/arrows.mjs.`,
    });
  }
  return { paths: typesOnly(temporal ?? []), patterns };
}

const parentOf = (folder) => folder.slice(0, folder.lastIndexOf('/') + 1);

/** Returns the name of a folder in the imports of another one: of a folder that stands beside it, the last name alone. */
function seenFrom(folder, other) {
  const parent = parentOf(other);
  return parent !== '' && parent === parentOf(folder) ? `(${parent})?${other.slice(parent.length)}` : other;
}

/** Only some files or rooms of another folder; types of all. */
function partOf(folder, other, what) {
  const some = what === 'types' ? [] : (what.only ?? what);
  const but = some.flatMap((name) => (name.endsWith('.ts') ? [name] : [name, `${name}/**`]));
  const path = parentOf(folder) === parentOf(other) ? other.slice(parentOf(other).length) : other;
  const parts = [...(what.only === undefined ? ['types'] : []), ...some].join(', ');
  return {
    group: [`**/${path}/**`, ...but.map((name) => `!**/${path}/${name}`)],
    allowTypeImports: what.only === undefined,
    message: `Of ${other}/, ${folder}/ imports ${parts}: see .ci/arrows.mjs.`,
  };
}

function temporalRules(folder, temporal, packages) {
  const internals = {
    regex: '^@temporalio/common/lib/internal',
    message: `The SDK's internals are imported in ${INTERNALS} only.`,
  };
  if (!packages && temporal.length === 0) {
    return [{ regex: '^[^.]', message: `${folder}/ is pure: no Node, no Temporal, no npm.` }];
  }
  const rules = packages
    ? []
    : [{ regex: '^[^.@]', message: `${folder}/ is deterministic: no Node, no npm.` }];
  if (temporal === undefined) return [...rules, internals];
  const names = temporal.map((name) => `@temporalio/${name.replace('types:', '')}`);
  return [
    ...rules,
    internals,
    {
      group: [...(packages ? ['@temporalio/*'] : ['@*/**']), ...names.map((name) => `!${name}`)],
      message: `Of Temporal, ${folder}/ imports ${names.join(', ') || 'nothing'}.`,
    },
  ];
}

function typesOnly(temporal) {
  return temporal
    .filter((name) => name.startsWith('types:'))
    .map((name) => ({
      name: name.replace('types:', '@temporalio/'),
      allowTypeImports: true,
      ...(name === 'types:common' ? { allowImportNames: ['defineSearchAttributeKey'] } : {}),
      message: `${name.replace('types:', '@temporalio/')} is for types.`,
    }));
}

/** A file gets the rules of the last override that fits: that of its room. */
function importOverrides() {
  return folders.flatMap((folder) => [
    override([`${folder}/**`], importRules(folder)),
    ...arrows[folder].rooms.map((room) => override([`${folder}/${room}/**`], importRules(folder, room))),
  ]);
}

function override(files, rules) {
  return { files, excludeFiles: [INTERNALS], rules: { 'no-restricted-imports': ['error', rules] } };
}

const pure = (object, property, what) => ({
  object,
  property,
  message: `rules are pure: take ${what} as an argument.`,
});

export default {
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'vitest'],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  categories: { correctness: 'error', suspicious: 'error' },
  // The peers import packages that only they have.
  ignorePatterns: [
    'oxlint.config.mjs',
    '.ci/arrows.mjs',
    'dist/**',
    '.reloop/**',
    'bench/peers/**',
    'bench/durability/peers/**',
    'bench/durability/workflow/**',
    'bench/durability/eve/**',
    'test/fixtures/programs/*.mjs',
  ],
  env: { builtin: true },
  rules: {
    eqeqeq: 'error',
    'max-lines': ['error', { max: 300 }],
    'no-console': 'error',
    'no-restricted-properties': [
      'error',
      {
        object: 'AbortSignal',
        property: 'timeout',
        message:
          'In Node 20, AbortSignal.any of it loses its timer with a garbage collection: see adapters/net/time-limit.ts.',
      },
    ],
    'no-unused-vars': [
      'error',
      { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
    ],
    'no-var': 'error',
    'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
    'prefer-const': 'error',
    'import/no-cycle': 'error',
    'typescript/consistent-type-imports': ['error', { disallowTypeAnnotations: true }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    // `import { type X } from 'y'` still loads y at run time; only `import type` crosses a folder line unseen.
    'typescript/no-import-type-side-effects': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    // A `default` is a decision too; what is refused is a case nobody thought of.
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'unicorn/no-process-exit': 'error',
    'unicorn/prefer-node-protocol': 'error',

    // Terminals speak in control characters.
    'no-control-regex': 'off',
    // tsc already asks for a value on every path that needs one.
    'typescript/consistent-return': 'off',
    // A narrowing `as` is judged in review: the comment above it is its reason.
    'typescript/no-unsafe-type-assertion': 'off',
    // Contracts here are plain objects of functions that never use `this`.
    'typescript/unbound-method': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/no-array-sort': 'off',
    // Errors are told apart by type or code, not by message.
    'vitest/require-to-throw-message': 'off',
  },
  overrides: [
    ...importOverrides(),
    {
      files: ['agent/**', 'features/*/rules/**'],
      globals: { URL: 'readonly' },
      rules: {
        'no-restricted-properties': [
          'error',
          pure('Date', 'now', 'the time'),
          pure('Math', 'random', 'the value'),
        ],
      },
    },
    {
      files: ['workflows/**'],
      globals: Object.fromEntries(
        [
          'AbortController',
          'TextDecoder',
          'TextEncoder',
          'URL',
          'URLSearchParams',
          'clearTimeout',
          'console',
          'setTimeout',
        ].map((name) => [name, 'readonly']),
      ),
    },
    {
      files: ['agent/**', 'features/*/rules/**', 'workflows/**'],
      rules: {
        // No Node environment here: a global that neither ECMAScript nor Temporal's sandbox has is undefined.
        'no-undef': ['error', { typeof: true }],
        'no-restricted-globals': [
          'error',
          { name: 'globalThis', message: "It reaches around the rule against Node's globals." },
          {
            name: 'WeakRef',
            message: "Temporal's sandbox refuses it: garbage collection is not deterministic.",
          },
          {
            name: 'FinalizationRegistry',
            message: "Temporal's sandbox refuses it: garbage collection is not deterministic.",
          },
        ],
      },
    },
    {
      files: ['cli/**', 'test/**', 'examples/**', 'bench/**'],
      rules: { 'no-console': 'off', 'unicorn/no-process-exit': 'off' },
    },
    {
      files: ['test/simulation/**'],
      excludeFiles: [SIMULATED_SDK],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                regex: '^@temporalio/[^/]+/lib/',
                message: `The simulator imports the SDK's internals in ${SIMULATED_SDK} only.`,
              },
            ],
          },
        ],
      },
    },
    {
      files: ['test/**'],
      rules: {
        'no-shadow': 'off',
        'no-restricted-properties': 'off',
        // Vitest's asymmetric matchers are typed `any`.
        'typescript/no-unsafe-assignment': 'off',
      },
    },
  ],
};
