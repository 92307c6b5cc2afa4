import { writeFileSync } from 'node:fs';
import type { Random } from '../../src/sandbox/random.ts';
import { agreeToDialects } from '../support/agree.ts';
import type { FillRow } from './fill-judge.ts';
import { ACCEPTED, FINDER_NAMES, type FillVendors } from './finders.ts';
import type { Order, Workplace } from './workplace.ts';

/** A list with blanks, and the folder of a user who has six vendors fill them. */

const FIRST = ['Ada', 'Ben', 'Cora', 'Dion', 'Ella', 'Finn', 'Gwen', 'Hugo'];
const LAST = ['Abbott', 'Brook', 'Chen', 'Doyle', 'Evans', 'Fraser', 'Ngata', 'Patel'];
const NOTHING = ['', '', '', 'n/a', '-', 'NULL'];

/** A third has an address, one row in twenty no last name, one in fifteen a title, and one in twelve is there twice. */
export function listOf(rows: number, name: string, random: Random): readonly FillRow[] {
  const list: FillRow[] = [];
  while (list.length < rows) {
    const domain = `${name}-${list.length + 1}.example`;
    const email = random.fraction() < 1 / 3 ? `own@${domain}` : random.pick(NOTHING);
    const last = random.fraction() < 1 / 20 ? '' : random.pick(LAST);
    const title = random.fraction() < 1 / 15 ? 'Head of Everything' : '';
    const isTwice = list.length > 0 && random.fraction() < 1 / 12;
    list.push(isTwice ? random.pick(list) : { first: random.pick(FIRST), last, domain, email, title });
  }
  return list;
}

const HEADER = 'No,First,Last,Website,Email,Title,Note';

export function writeList(place: Workplace, list: readonly FillRow[]): void {
  const rows = list.map(
    ({ first, last, domain, email, title }, at) =>
      `${at + 1},${first},${last},${domain},${email},${title},"No. ""${at + 1}"", as it is"`,
  );
  writeFileSync(place.path('list.csv'), [HEADER, ...rows, ''].join('\n'));
}

export async function writeAccounts(place: Workplace, vendors: FillVendors): Promise<void> {
  for (const { name, dialect } of vendors.each) place.writeDialect(dialect, `${name}.yaml`);
  place.writeAccounts(Object.fromEntries(vendors.each.map(({ name, account }) => [name, account])));
  await agreeToDialects(place.path('config'));
}

export function writeJob(place: Workplace, budget: object): void {
  const job = {
    columns: { first_name: 'First', last_name: 'Last', domain: 'Website', email: 'Email' },
    operations: {
      'find-email': {
        account: FINDER_NAMES,
        add: { Email: 'email' },
        check: { account: 'fred', accept: ACCEPTED },
      },
      'enrich-person': { account: 'egon', add: { Title: 'job_title' } },
    },
    on_existing: 'fill',
    budget,
  };
  writeFileSync(place.path('fill.yaml'), JSON.stringify(job));
}

/** The exit codes of stops that are mended. 2: a vendor went away before the ledger had its first response. */
export const STOPS = [2, 4, 75, 77];

export const FILL_ORDER: Order = {
  job: 'fill.yaml',
  isByJob: true,
  stops: STOPS,
  more: ['--max-pause', '2s'],
};
