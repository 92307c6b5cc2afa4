/**
 * Goal: the source stays in the shape that `src/README.md` shows. Imports go one way, a file that has parts keeps them to
 * itself, and nothing names the machine it was written on. Circles are found by Biome.
 * Method: the text of the files, against the street below, which lists rooms and their doors and no other file.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ABROAD, FILES, IMPORTS, type Import, roomOf } from './support/street.ts';

const ROOT = join(import.meta.dirname, '..');

/**
 * The rooms of the street, as a row walks down it: a file imports its own room and those before it, never one after it.
 * The doors of a room are all that others may import of it; a room without a list is open, because every room speaks
 * its words. A door that no one enters any more is taken off the list.
 */
const STREET: Readonly<Record<string, readonly string[] | 'open'>> = {
  core: 'open',
  lib: 'open',
  values: 'open',
  objects: 'open',
  operations: [
    'check-email.ts',
    'lookup/person.ts',
    'lookup/waterfall.ts',
    'team/change-action.ts',
    'team/change-steps.ts',
  ],
  ledger: ['copy.ts', 'db/postgres.ts', 'erase.ts', 'ledger.ts', 'store.ts', 'stores.ts'],
  client: [
    'account/account.ts',
    'account/agreements.ts',
    'account/edit.ts',
    'client.ts',
    'dialect.ts',
    'judge.ts',
    'kept-answers.ts',
    'proposal.ts',
    'request.ts',
    'time.ts',
  ],
  job: [
    'carried-job.ts',
    'job-origin.ts',
    'job-schema.ts',
    'job-settings.ts',
    'job-yaml.ts',
    'job.ts',
    'own-operation.ts',
  ],
  files: [
    'called.ts',
    'columns/column-kind.ts',
    'columns/columns.ts',
    'compared.ts',
    'describe-file.ts',
    'input.ts',
    'kept-rows.ts',
    'merging.ts',
    'output/batch-view.ts',
    'output/changes-done.ts',
    'output/counted-elsewhere.ts',
    'output/output.ts',
    'output/own-files.ts',
    'output/report-object.ts',
    'output/report.ts',
    'output/short-budgets.ts',
    'output/summary-words.ts',
    'output/tally.ts',
    'output/team-done-words.ts',
    'quality/cell-faults.ts',
    'quality/job-issues.ts',
    'quality/shared-hosts.ts',
    'spool.ts',
    'versions.ts',
  ],
  walk: [
    'asked-anew.ts',
    'asked-before.ts',
    'corrected-path.ts',
    'filling.ts',
    'known-calls.ts',
    'met-call.ts',
    'resolved-job.ts',
    'row-classification.ts',
    'row-preparer.ts',
    'row-walk.ts',
    'told-apart.ts',
    'walk-together.ts',
  ],
  plan: [
    'answer-search.ts',
    'batch-key.ts',
    'batch.ts',
    'consent.ts',
    'context.ts',
    'plan-id.ts',
    'plan.ts',
    'sample.ts',
    'shared-hosts.ts',
    'team/change-guards.ts',
    'team/change-plan.ts',
    'team/diff-words.ts',
    'team/planned-rows.ts',
    'team/remote-members.ts',
  ],
  sandbox: ['server.ts', 'spawn.ts'],
  run: [
    'account-terms.ts',
    'batch-table.ts',
    'batches.ts',
    'choose.ts',
    'doubts.ts',
    'erase.ts',
    'known-account.ts',
    'known-rows.ts',
    'matches.ts',
    'night-ends.ts',
    'notices.ts',
    'open-ledger.ts',
    'pipeline.ts',
    'readings.ts',
    'reconcile.ts',
    'row-tasks.ts',
    'rows.ts',
    'run-job.ts',
    'sessions.ts',
    'store-choice.ts',
    'summary.ts',
    'table-order.ts',
    'time-left.ts',
    'work-queue.ts',
  ],
  web: ['serve.ts'],
  commands: 'open',
  index: [],
  cli: [],
};
const ROOMS = Object.keys(STREET);

/** The invented vendors judge the rest, so they share nothing with it but the words of `core`. */
const SANDBOX = 'sandbox';

/** Folders in which every file has the same shape; nothing lists their members. */
const FAMILIES = ['operations', 'client/dialects', 'files/formats', 'commands'];

const ANY_IMPORT = /(?:^(?:import|export) (?:[^'";]*? from )?|\bimport\()'([^']+)'/gm;

/** Each place of a ledger goes through the door to its database, and has it examined, cleaned and copied there. */
const DOORS = 'ledger/db';

/** The file that a private part belongs to; undefined for a file that stands for itself. */
function ownerOf(file: string): string | undefined {
  if (dirname(file) === DOORS) return undefined;
  const owner = `${dirname(file)}.ts`;
  return FILES.includes(owner) ? owner : undefined;
}

/** The file itself, or the one whose private part it is. */
const wholeOf = (file: string): string => ownerOf(file) ?? file;
const familyOf = (file: string): string | undefined =>
  FAMILIES.find((folder) => dirname(wholeOf(file)) === folder);
const shown = ({ from, to }: Import): string => `${from} → ${to}`;

describe('imports', () => {
  test('every file has its room on the street, and every room its files', () => {
    expect(IMPORTS.length).toBeGreaterThan(FILES.length);
    expect([...new Set(FILES.map(roomOf))].sort()).toEqual([...ROOMS].sort());
  });

  test('the street is that of its page, room by room', () => {
    const page = readFileSync(join(ROOT, 'src', 'README.md'), 'utf8');
    const rooms = [...page.matchAll(/^\| `([a-z]+)[/.]/gm)].map(([, room]) => room);
    expect(rooms).toEqual(ROOMS);
  });

  test('imports go down the street, never up', () => {
    const up = ABROAD.filter(({ from, to }) => ROOMS.indexOf(roomOf(to)) > ROOMS.indexOf(roomOf(from)));
    expect(up.map(shown)).toEqual([]);
  });

  test('imports enter a room by its doors alone, and every door is entered', () => {
    const entered = new Map(ROOMS.map((room) => [room, new Set<string>()]));
    for (const { to } of ABROAD) entered.get(roomOf(to))?.add(to.slice(roomOf(to).length + 1));
    for (const [room, doors] of Object.entries(STREET)) {
      if (doors !== 'open') expect([room, [...(entered.get(room) ?? [])].sort()]).toEqual([room, [...doors]]);
    }
  });

  test('members of a family know neither each other nor another family', () => {
    const strangers = IMPORTS.filter(({ from, to }) => {
      if (familyOf(from) === undefined || familyOf(to) === undefined) return false;
      return wholeOf(from) !== wholeOf(to);
    });
    expect(strangers.map(shown)).toEqual([]);
  });

  test('the sandbox is the judge of the rest, so it shares nothing with it but words', () => {
    const out = ABROAD.filter(({ from, to }) => roomOf(from) === SANDBOX && roomOf(to) !== 'core');
    expect(out.map(shown)).toEqual([]);
  });

  test('the private parts of a file are imported by that file and from its folder alone', () => {
    const trespasses = IMPORTS.filter(({ from, to }) => {
      const owner = ownerOf(to);
      return owner !== undefined && from !== owner && !from.startsWith(`${dirname(to)}/`);
    });
    expect(trespasses.map(shown)).toEqual([]);
  });

  test('imports of the page lead to the page, its two libraries, parts of the report, words of numbers, rows, counts, people, money, charges, budgets, answers, operations and vendors, and types of what the server says', () => {
    const files = globSync('web/page/**/*.{ts,tsx}', { cwd: join(ROOT, 'src') });
    const imports = files.flatMap((file) =>
      [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(ANY_IMPORT)].map(
        ([statement, path = '']) => ({
          statement: `${file}: ${statement}`,
          to: path.startsWith('.') ? normalize(join(dirname(file), path)) : path,
        }),
      ),
    );
    expect(imports.length).toBeGreaterThan(files.length);
    const strange = imports.filter(({ statement, to }) => {
      if (to === 'web/api.ts') return !/: (?:import|export) type /.test(statement);
      return !/^(?:web\/page\/|files\/output\/report\/|files\/output\/(?:counted-elsewhere|row-name|short-budgets|summary-words|team-done-words)\.ts$|core\/(?:charge-words|counts|described|given|money|people|plain-text|row|vendor-titles)\.ts$|preact$|preact\/hooks$|@preact\/signals$)/.test(
        to,
      );
    });
    expect(strange.map(({ statement }) => statement)).toEqual([]);
  });
});

test.for([
  ['takes a permit for what may cost something', /client\.permit\(/, ['run/buy.ts']],
  ['reaches a vendor', /\bnew (?:Transport|Limiter)\(/, ['client/client.ts']],
  ['says that an intent is committed', /\bnew AdmittedAttempt\(/, ['ledger/write-calls.ts']],
] as const)('one place alone %s', ([, pattern, files]) => {
  const found = FILES.filter((file) => pattern.test(readFileSync(join(ROOT, 'src', file), 'utf8')));
  expect(found).toEqual(files);
});

test('nothing that is published names a folder of this machine or a package registry', () => {
  const unspecific = ['/', '/home', '/home/you', '/root', '/tmp', tmpdir()];
  const folders = [ROOT, dirname(ROOT), homedir()].filter((folder) => !unspecific.includes(folder));
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', listed, { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
  expect(files.length).toBeGreaterThan(FILES.length);
  const named = files
    .filter((file) => existsSync(join(ROOT, file)))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const found = [
        ...folders.filter((folder) => text.includes(`${folder}/`)),
        ...(text.match(REGISTRY) ?? []),
      ];
      return found.map((what) => `${file}: ${what}`);
    });
  expect(named).toEqual([]);
});

/** A host by its usual name, and where a lock file says that a package was fetched from. */
const REGISTRY = /\bregistry\.[a-z][\w-]*\.[a-z]+|"resolved": "https?:/g;
