/**
 * Goal: an editor that follows our JSON schemas completes what a file may hold, explains it, takes every file that we
 * ship, and marks the slips that people make.
 * Method: the shipped schemas against those made anew of the zod schemas and the documentation, and as validators of
 * real files beside the reader of those files. `UPDATE_SCHEMAS=1` writes them instead.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { accountsSchema } from '../src/client/account/accounts-file.ts';
import { checkDialectFile } from '../src/client/dialect/file.ts';
import provider from '../src/client/dialects/provider.ts';
import { jobSchema } from '../src/job/job-schema.ts';
import { StoppedObject } from '../src/objects/stop-object.ts';
import { openDesk } from './cli/desk.ts';
import { whatIsPrinted } from './support/json-page.ts';
import { type JsonSchema, objectsOf, schemasNow } from './support/json-schemas.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs', 'reference', 'schemas');
const KINDS = ['job', 'accounts', 'dialect'] as const;
type Kind = (typeof KINDS)[number];

const now = await schemasNow();
if (process.env.UPDATE_SCHEMAS === '1') {
  mkdirSync(FOLDER, { recursive: true });
  for (const [kind, schema] of now) {
    writeFileSync(join(FOLDER, `${kind}.json`), `${JSON.stringify(schema, null, 2)}\n`);
  }
}

const shipped = (kind: Kind | 'output'): JsonSchema =>
  JSON.parse(readFileSync(join(FOLDER, `${kind}.json`), 'utf8'));

/** As an editor judges it. */
const accepts = (kind: Kind, value: unknown): boolean =>
  z.fromJSONSchema(JSON.parse(JSON.stringify(shipped(kind)))).safeParse(value).success;

describe('the schemas that are shipped', () => {
  test.each(KINDS)(
    '%s is what the program reads and the documentation says (else: UPDATE_SCHEMAS=1)',
    (kind) => {
      expect(shipped(kind)).toEqual(now.get(kind));
    },
  );

  test.each(KINDS)('%s explains every entry', (kind) => {
    const members = membersOf(shipped(kind), '');
    expect(members.length).toBeGreaterThan(20);
    expect(members.filter(({ schema }) => schema.description === undefined).map(({ path }) => path)).toEqual(
      [],
    );
  });

  test('an operation is completed by its name', () => {
    expect(shipped('job').properties?.operation?.enum).toEqual(
      globSync('src/operations/*.ts', { cwd: ROOT })
        .map((path) => path.replace(/^.*[\\/]|\.ts$/g, ''))
        .sort(),
    );
  });

  test('what --json prints is what its commands are written by (else: UPDATE_SCHEMAS=1)', () => {
    expect(shipped('output')).toEqual(JSON.parse(JSON.stringify(now.get('output'))));
  });
});

interface Member {
  readonly path: string;
  readonly schema: JsonSchema;
}

function membersOf(schema: JsonSchema, path: string): readonly Member[] {
  const { properties = {}, additionalProperties, items, anyOf = [], oneOf = [] } = schema;
  const below = Object.entries(properties).flatMap(([key, member]) => [
    { path: path + key, schema: member },
    ...membersOf(member, `${path}${key}.`),
  ]);
  const forms = [items, ...anyOf, ...oneOf].flatMap((form) => (form ? membersOf(form, path) : []));
  const named =
    typeof additionalProperties === 'object' ? membersOf(additionalProperties, `${path}NAME.`) : [];
  return [...below, ...forms, ...named];
}

// ---------------------------------------------------------------------------------------------------- outputs

describe('what commands print under --json', () => {
  /** Every object that the command may print, told with each of its members; the words name one batch. */
  const printed: readonly (readonly [command: string, words: readonly string[]])[] = [
    ['plan', ['list.csv']],
    ['plan', ['enrich-company', 'list.csv']],
    ['run', ['enrich-company', 'list.csv', '--budget', '1', '-o', 'out.csv']],
    ['run', ['enrich-company', 'list.csv', '--sample', '2', '--yes', '-o', 'out.csv']],
    ['run', ['enrich-company', 'no.csv']],
    ['plan', ['enrich-company,enrich-person', 'list.csv', '--column', 'email=Domain']],
    ['run', ['enrich-company,enrich-person', 'list.csv', '--column', 'email=Domain', '--budget', '9']],
    ['run', ['enrich-company', 'list.csv', '--budget', '9', '-o', 'out.csv']],
    ['status', []],
    ['status', ['last']],
    ['status', ['last', '2']],
    ['status', ['last', '--limit', '2']],
    ['settle', ['last']],
    ['settle', ['last', '--skip']],
    ['log', []],
    ['spend', []],
    ['export', ['last']],
    ['try', ['enrich-company', 'domain=one.example', '--yes']],
    ['nightly', ['night.yaml']],
    ['plan', ['invite-user', 'team.csv', '--account', 'sandbox-service']],
    ['run', ['invite-user', 'team.csv', '--account', 'sandbox-service', '--yes']],
    ['status', ['last', '2']],
    ['undo', ['last', '--dry-run']],
    ['undo', ['last', '--yes']],
    ['settle', ['nobody']],
  ];

  test('what is printed under --json has every member that the schema needs, and none that it does not name', async () => {
    const desk = await openDesk({ faults: 'charged-reset:x1' });
    desk.list(5);
    await desk.write('team.csv', 'Email,Role,project_id\njo@a.example,viewer,proj-1\n');
    mkdirSync(desk.place.path('inbox'));
    desk.list(1, 'inbox/night.csv');
    await desk.write('night.yaml', 'operation: enrich-company\ninbox: inbox\nbudget: { credits: 5 }\n');
    const outputs = await whatIsPrinted();
    const met = new Set<string>();
    for (const [command, words] of printed) {
      const object = await desk.json([command, ...words]);
      const objects = [...objectsOf(command, outputs), ['StoppedObject', StoppedObject] as const];
      // What the schema does not name is left out by reading it, so an object that has just these members comes back whole.
      const fitting = objects.filter(([, schema]) =>
        isDeepStrictEqual(schema.safeParse(object).data, object),
      );
      expect(fitting, `${command} ${words.join(' ')}: ${JSON.stringify(object)}`).toHaveLength(1);
      met.add(fitting[0]?.[0] ?? '');
    }
    const all = new Set(printed.flatMap(([command]) => objectsOf(command, outputs).map(([name]) => name)));
    expect([...met].sort()).toEqual([...all, 'StoppedObject'].sort());
  });
});

// ---------------------------------------------------------------------------------------------------- files

const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const EXAMPLES: readonly { readonly from: string; readonly text: string }[] = [
  ...globSync('jobs/**/*.yaml', { cwd: ROOT }).map((path) => ({ from: path, text: page(path) })),
  ...['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })].flatMap((path) =>
    [...page(path).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => ({ from: path, text })),
  ),
];

function kindOf(text: string): Kind {
  if (/^accounts:/m.test(text)) return 'accounts';
  if (/^columns:/m.test(text)) return 'job';
  return /^(operations|words|api_call):/m.test(text) ? 'dialect' : 'job';
}

describe('files that work', () => {
  test.each(EXAMPLES)('an editor finds nothing wrong with the one of $from', ({ text }) => {
    expect(accepts(kindOf(text), parse(text))).toBe(true);
  });

  test.each(globSync('jobs/**/*.yaml', { cwd: ROOT }))(
    '%s tells editors its schema, in the checkout',
    (path) => {
      const text = page(path);
      const named = /^# yaml-language-server: \$schema=(?<to>\S+)$/m.exec(text)?.groups?.to ?? '';
      expect(resolve(ROOT, dirname(path), named)).toBe(join(FOLDER, `${kindOf(text)}.json`));
    },
  );
});

// ---------------------------------------------------------------------------------------------------- slips

function isRefused(kind: Kind, text: string): boolean {
  if (kind !== 'dialect')
    return !{ job: jobSchema, accounts: accountsSchema }[kind].safeParse(parse(text)).success;
  try {
    checkDialectFile(text, 'slip.yaml', provider);
    return false;
  } catch {
    return true;
  }
}

const SLIPS: readonly (readonly [what: string, kind: Kind, yaml: string])[] = [
  ['a misspelt key', 'job', 'operation: enrich-company\nbuget: { credits: 5 }'],
  ['no operation', 'job', 'account: data'],
  ['a word that is not in the list', 'job', 'operation: enrich-company\nin_doubt: wait'],
  ['half a credit', 'job', 'operation: enrich-company\nbudget: { credits: 0.5 }'],
  ['an age without its unit', 'job', 'operation: enrich-company\nrefresh_after: "30"'],
  ['a schedule of four fields', 'job', 'operation: enrich-company\nschedule: "0 2 * *"'],
  ['a tab as a name of what it is', 'job', 'operation: enrich-company\nread: { delimiter: "\\t" }'],
  ['a vendor that is none', 'accounts', 'accounts: { data: { vendor: supplier, key_env: KEY } }'],
  ['a name with a blank', 'accounts', 'accounts: { "my data": { vendor: provider, key_env: KEY } }'],
  ['a meaning that is none', 'dialect', 'answers: [{ status: [404], means: nothing }]'],
  ['a path without its slash', 'dialect', 'operations: { enrich-company: { path: company } }'],
  ['a duration in words', 'dialect', 'idempotency: { header: Key, valid_for: a day }'],
];

describe('slips', () => {
  test.each(SLIPS)('%s is marked by the editor, as the program refuses it', (_what, kind, text) => {
    expect(isRefused(kind, text)).toBe(true);
    expect(accepts(kind, parse(text))).toBe(false);
  });

  test('an operation that does not exist is marked as well', () => {
    expect(accepts('job', { operation: 'enrich-companies' })).toBe(false);
    expect(accepts('job', { operation: 'enrich-company' })).toBe(true);
  });
});
