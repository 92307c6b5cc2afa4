/**
 * Goal: damage is seen before a credit is at stake, and `--repair` asks for what was meant without touching a cell of the
 * user's.
 * Method: commands over damaged lists before one vendor in a process of its own, whose log says what was sent. The first
 * one starts the program, the others type in this process. Every test has people of its own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Workplace } from '../faults/workplace.ts';
import { type JsonResult, objectIn } from './desk.ts';
import { rowonce } from './rowonce.ts';
import { typed } from './typed.ts';

let place: Workplace;
beforeAll(async () => {
  place = await Workplace.open({ ownProcess: true });
  vi.stubEnv('ROWONCE_CONFIG', place.path('config'));
  vi.stubEnv('ROWONCE_STORE', place.path('store'));
});
afterAll(() => place[Symbol.asyncDispose]());

async function json(...words: readonly string[]): Promise<JsonResult> {
  return objectIn((await typed([...words, '--json'])).stdout);
}

/** @returns its path. */
function write(name: string, content: string): string {
  writeFileSync(place.path(name), content);
  return place.path(name);
}

/** A list of people as a mail program and a spreadsheet left it; `who` makes the addresses its own. */
function damagedList(who: string): { readonly path: string; readonly content: string } {
  const content = `Name,Email\nJo,Jo <jo@${who}.example>\nFlo,flo@${who}.example.\nMia,mia@${who}.example\nTom,not an address\n`;
  return { path: write(`${who}.csv`, content), content };
}

/** What the vendor was asked about, in any order. */
function sentTo(who: string): readonly string[] {
  const asked = place.vendor.requests().map(({ body }) => body.email ?? '');
  return asked.filter((email) => email.endsWith(`@${who}.example`)).sort();
}

test('the plan of a job names the damage in its columns, and what --repair would make of it', async () => {
  const { path } = damagedList('planned');
  const env = { ROWONCE_CONFIG: place.path('config'), ROWONCE_STORE: place.path('store') };
  const { stdout } = await rowonce(['plan', 'enrich-person', path], { env });
  expect(stdout).toMatch(/^ {2}invalid {8}3$/m);
  expect(stdout).toContain(
    '  damage         Email: 1 with more than the address: row 2; such as Jo <jo@planned.example> → jo@planned.example\n',
  );
  expect(stdout).toContain('  --repair       would repair what is sent for 2 rows\n');
  expect(sentTo('planned')).toEqual([]);
});

test('a run sends what was meant, says so in each row, and leaves every cell as it came', async () => {
  const { path, content } = damagedList('bought');
  const out = place.path('bought.out.csv');
  const run = ['run', 'enrich-person', path, '--repair', '--budget', '100', '-o', out];
  const { counts } = await json(...run);
  expect(counts).toEqual({ matched: 3, invalid: 1 });
  expect(sentTo('bought')).toEqual(['flo@bought.example', 'jo@bought.example', 'mia@bought.example']);
  const rows = place.rows('bought.out.csv');
  expect(rows.map((row) => row._reason)).toEqual([
    'e-mail read as jo@bought.example',
    'e-mail read as flo@bought.example',
    '',
    'no usable identifier: e-mail not an address: is not an e-mail address',
  ]);
  const own = readFileSync(out, 'utf8')
    .split('\n')
    .map((line) => line.split(',').slice(0, 2).join(','));
  expect(own.join('\n')).toBe(content);
  expect(sentTo('bought')).toHaveLength(3);
});

test('a telephone number lacks its zero only in a country that was said, whatever else the list shows', async () => {
  const path = write('phones.csv', 'ABN,Phone\n51824753556,412345678\n33051775556,+61412345679\n');
  const ofPhones = async (...words: readonly string[]) =>
    (await json('plan', path, ...words)).columns[1].damage;
  expect(await ofPhones()).toEqual([]);
  expect(await ofPhones('--country', 'AU')).toMatchObject([{ kind: 'lost_zero', count: 1 }]);
});

test('plan FILE finds damage in columns of which nobody has said what they hold, and rows that come twice', async () => {
  const sound = Array.from({ length: 300 }, (_, n) => `Company ${n},p${n}@acme.example,0412345${100 + n}`);
  const [first, last] = ['CafÃ©,Jo <jo@acme.example>,412345999', 'ZoÃ«,flo@acme.example.,412345998'];
  const again = ['COMPANY 7,p7@acme.example,0412345107', sound[0]];
  // One slip away from most others or from a great host of mailboxes; the last one is a host of them itself.
  const hosts = ['acmee.example', 'gmial.com', 'ymail.com'];
  const slips = hosts.map((host, n) => `Slip ${n},jo@${host},041234590${n}`);
  const path = write(
    'described.csv',
    ['Name,Kontakt,Mobile', first, ...sound, last, ...again, ...slips, ''].join('\n'),
  );
  const { columns, duplicates } = await json('plan', path, '--country', 'au');
  const found = columns.flatMap(({ name, damage }: JsonResult) =>
    damage.map(({ kind, first_rows, examples }: JsonResult) => [
      name,
      kind,
      first_rows,
      examples.map(({ repaired }: JsonResult) => repaired),
    ]),
  );
  expect(found).toEqual([
    ['Name', 'mojibake', [2, 303], ['Café', 'Zoë']],
    ['Kontakt', 'near_host', [306, 307], [undefined, undefined]],
    ['Kontakt', 'wrapped_address', [2], ['jo@acme.example']],
    ['Kontakt', 'punctuation', [303], ['flo@acme.example']],
    ['Mobile', 'lost_zero', [2, 303], ['0412345999', '0412345998']],
  ]);
  // What differs in as little as its case is another row.
  expect(duplicates).toEqual({ same: { count: 1, first_rows: [305] } });
  const { stdout } = await typed(['plan', path]);
  expect(stdout).toMatch(/^ +1 .*: row 303; such as flo@acme\.example\. → flo@acme\.example$/m);
  expect(stdout).toMatch(/^duplicates 1 row the same as an earlier row: row 305$/m);
});
