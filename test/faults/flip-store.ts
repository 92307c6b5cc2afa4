import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { domainsOf, type Workplace } from './workplace.ts';

/** Stores with something of every kind in them, whose bits are then flipped: one closed in order, and one of a killed run. */

/** A command that buys nothing over a sound store, and what it writes is the same every time. */
export interface Deed {
  readonly name: string;
  readonly words: readonly string[];
}

export interface FlipStore {
  readonly name: 'closed' | 'killed';
  readonly folder: string;
  readonly deeds: readonly Deed[];
  /** Numbers of the pages of each table and index. */
  readonly pages: readonly (readonly number[])[];
}

const LOSING = 'charged-reset:0.06,500:0.06,422:0.06';
const CAP = 12;

export const PAGE_BYTES = 4096;

/** Everything is made below `place.folder`, by the real command. */
export async function makeFlipStores(place: Workplace, rows: number): Promise<readonly FlipStore[]> {
  writeAccounts(place.folder, place.vendor.url);
  const companies = domainsOf('flip', rows);
  place.writeList([...companies, ...companies.slice(0, 9)]);
  place.writeList([...companies, ...companies.slice(0, 9)].reverse(), 'reversed.csv');
  place.writePeople(
    domainsOf('who', 12).map((domain) => `lee@${domain}`),
    'people.csv',
  );
  place.writeList(domainsOf('capped', 40), 'capped.csv');
  place.writeList(domainsOf('second', rows), 'second.csv');
  place.writeList(domainsOf('second', rows).toReversed(), 'second-reversed.csv');
  writeTeam(place);
  await place.vendor.setFaults(LOSING);
  await typed(place, [0, 3], run('list.csv'));
  await place.vendor.setFaults();
  await tellOne(place);
  await typed(place, [0, 3], run('list.csv'));
  await typed(place, [0, 3], run('people.csv', ['--budget', '100'], 'enrich-person'));
  await typed(place, [0, 3], run('people.csv', ['--budget', '100', '--refresh'], 'enrich-person'));
  await typed(place, [0, 3], ['run', 'team.yaml', 'team.csv', '--yes', '-o', 'team.out.csv', '--json']);
  await typed(place, [4], run('capped.csv', ['--budget', String(CAP)]));
  cpSync(place.path('store'), place.path('closed'), { recursive: true });
  await typed(place, [null], run('second.csv'), { ROWONCE_CRASH_AT: 'before-finish' });
  cpSync(place.path('store'), place.path('killed'), { recursive: true });
  const onAny = (): readonly Deed[] => [
    deed('over its budget', run('capped.csv', ['--budget', String(CAP)])),
    deed('status', ['status', '--json']),
  ];
  return [
    {
      name: 'closed',
      folder: place.path('closed'),
      pages: pagesOf(place.path('closed')),
      deeds: [
        deed('same list', run('list.csv')),
        deed('re-ordered list', run('reversed.csv')),
        deed('refreshed list', run('people.csv', ['--budget', '100'], 'enrich-person')),
        deed('export', ['export', 'enrich-company', 'list.csv', '--account', 'data', '--json']),
        deed('export of a team', ['export', 'team.yaml', 'team.csv', '--json']),
        deed('plan', ['plan', 'enrich-company', 'reversed.csv', '--account', 'data', '--json']),
        ...onAny(),
      ],
    },
    {
      name: 'killed',
      folder: place.path('killed'),
      pages: pagesOf(place.path('killed')),
      deeds: [
        deed('same list', run('second.csv')),
        deed('re-ordered list', run('second-reversed.csv')),
        deed('export', ['export', 'enrich-company', 'list.csv', '--account', 'data', '--json']),
        ...onAny(),
      ],
    },
  ];
}

function deed(name: string, words: readonly string[]): Deed {
  return { name, words };
}

function run(
  list: string,
  more: readonly string[] = ['--budget', '100000'],
  job = 'enrich-company',
): readonly string[] {
  return ['run', job, list, '--account', 'data', ...more, '--json'];
}

/** The account has an id, so that it is the same account at the address of any vendor. */
export function writeAccounts(folder: string, url: string): void {
  const limits = { per_second: 2000, concurrency: 4 };
  const accounts = {
    data: { vendor: 'provider', id: 'data', base_url: url, key: 'key-1', limits },
    team: {
      vendor: 'service',
      id: 'team',
      base_url: url,
      organization_id: 'org-1',
      project_id: 'proj-1',
      key: 'key-1',
    },
  };
  mkdirSync(join(folder, 'config'), { recursive: true });
  writeFileSync(join(folder, 'config', 'accounts.yaml'), JSON.stringify({ accounts }), { mode: 0o600 });
}

function writeTeam(place: Workplace): void {
  const columns = { email: 'Email', role: 'Role', project_id: 'Project' };
  writeFileSync(place.path('team.yaml'), JSON.stringify({ operation: 'onboard', account: 'team', columns }));
  const people = Array.from({ length: 8 }, (_, at) => `p${at}@team.example,viewer,proj-1`);
  writeFileSync(place.path('team.csv'), `Email,Role,Project\n${people.join('\n')}\n`);
}

/** A person says what became of one call whose answer was lost. */
async function tellOne(place: Workplace): Promise<void> {
  const [doubt] = place.ledger().doubts;
  if (doubt === undefined) throw new Error('no answer was lost');
  await typed(place, [0], ['settle', doubt.batch, String(doubt.row), '--answer', 'name=Acme', '--json']);
}

async function typed(
  place: Workplace,
  codes: readonly (number | null)[],
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const at = words.map((word) => (/\.(csv|yaml)$/.test(word) ? place.path(word) : word));
  const ended = await place.type([...at, '--store', place.path('store')], env).ended;
  if (!codes.includes(ended.code))
    throw new Error(`${words.join(' ')} ended with ${ended.code}: ${ended.stderr}`);
}

/** With the whole paths of lists and jobs. */
export function inputOf(folder: string, words: readonly string[]): readonly string[] {
  return words.map((word) => (/\.(csv|yaml)$/.test(word) ? join(folder, word) : word));
}

/** Looked at in a copy, because looking folds the log of a killed run into the ledger. */
function pagesOf(folder: string): readonly (readonly number[])[] {
  const copy = `${folder}-copy`;
  cpSync(folder, copy, { recursive: true });
  const bytes = statSync(join(folder, 'ledger.db')).size;
  const database = new Database(join(copy, 'ledger.db'));
  const pages = database
    .prepare<[], { name: string; pageno: number }>('SELECT name, pageno FROM dbstat')
    .all();
  database.close();
  rmSync(copy, { recursive: true });
  const within = pages.filter(({ pageno }) => pageno * PAGE_BYTES <= bytes);
  return Object.values(Object.groupBy(within, ({ name }) => name)).map((some = []) =>
    some.map(({ pageno }) => pageno),
  );
}
