/**
 * Goal: what a list costs grows as what it unfolds to, whatever a stranger wrote into it: twice as much of it asks for no more
 * than twice the work.
 * Method: lists that did more than that once, each as it is and doubled, planned, run and brought to the page in this process,
 * with a vendor that is no play money; what the program runs and looks at is counted, and nothing is timed.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { abn } from '../../bench/program.ts';
import { compareVersions } from '../../src/files/compared.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { bringList } from '../../src/web/server/list-files.ts';
import { ListTables } from '../../src/web/server/list-tables.ts';
import { typed } from '../cli/typed.ts';
import { bookParts, type WrittenBook, zipOf } from '../files/formats/workbook-file.ts';
import { some } from '../support/combinations.ts';
import { stepsOf } from './steps.ts';

let folder: string;
let vendor: Awaited<ReturnType<typeof startSandbox>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rowonce-doubled-'));
  vendor = await startSandbox({});
  const limits = { concurrency: 8, per_second: 100_000 };
  const account = { vendor: 'provider', id: 'work', base_url: vendor.url, key: 'work', limits };
  writeFileSync(join(folder, 'accounts.yaml'), JSON.stringify({ accounts: { data: account } }), {
    mode: 0o600,
  });
  process.env.ROWONCE_CONFIG = folder;
  process.env.XDG_STATE_HOME = join(folder, 'state');
});

afterAll(async () => {
  await vendor.close();
  rmSync(folder, { recursive: true });
});

interface Hostile {
  readonly says: string;
  readonly ending?: string;
  readonly read?: { readonly header_row: string };
  readonly size: number;
  content(size: number): string | Buffer;
}

const times = (count: number, of: (at: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, at) => of(at)).join(between);

/** Of one length, however many there are. */
const word = (at: number): string => `c${String(at).padStart(5, '0')}`;

const csvRow = (first: string, columns: number, of: (at: number) => string): string =>
  `${[first, ...Array.from({ length: columns }, (_, at) => of(at))].join()}\n`;

const workbook = (book: WrittenBook, ...others: readonly { name: string; content: string }[]): Buffer => {
  const replaced = new Set(others.map(({ name }) => name));
  return zipOf([...bookParts(book).filter(({ name }) => !replaced.has(name)), ...others]);
};

const shared = (row: number, cells: number): string =>
  `<row r="${row}"><c t="inlineStr"><is><t>${abn(0)}</t></is></c>${times(cells, () => '<c t="s"><v>0</v></c>')}</row>`;
const named = (columns: number): string =>
  `<row r="1">${times(columns + 1, (at) => `<c t="inlineStr"><is><t>${at === 0 ? 'ABN' : word(at)}</t></is></c>`)}</row>`;
const SMALL = `${named(2)}${shared(2, 2)}`;
const TEXT = '<si><t>some words</t></si>';
const MAIN = (behind: string): string =>
  `<workbook><sheets><sheet name="Leads" r:id="rId1"/></sheets>${behind}</workbook>`;

const HOSTILE: readonly Hostile[] = [
  {
    says: 'a CSV file of many columns',
    size: 1_500,
    content: (size) =>
      csvRow('ABN', size, (at) => word(at)) +
      csvRow(abn(0), size, (at) => word(at)) +
      csvRow(abn(1), size, () => 'y'),
  },
  {
    says: 'a CSV file of many columns of one name',
    size: 1_500,
    content: (size) => csvRow('ABN', size, () => 'same') + csvRow(abn(0), size, (at) => word(at)),
  },
  {
    says: 'a CSV file of many columns with names in two rows',
    size: 600,
    read: { header_row: '1-2' },
    content: (size) =>
      csvRow('', size, (at) => `group${at % 7}`) +
      csvRow('ABN', size, (at) => `c${at % 11}`) +
      csvRow(abn(0), size, (at) => word(at)),
  },
  {
    says: 'a CSV file in which every second row is a line of dashes',
    size: 600,
    content: (size) => `ABN,Name\n${times(size, (at) => `${abn(at % 3)},Acme ${at}\n----,----\n`)}`,
  },
  {
    says: 'a CSV file with rows that cannot be read',
    size: 600,
    content: (size) => `ABN,Name\n${abn(0)},Acme\n${times(size, (at) => `${abn(1)},"Acme ${at}"x,"y"\n`)}`,
  },
  {
    says: 'JSON lines with many members',
    ending: '.jsonl',
    size: 1_500,
    content: (size) =>
      times(2, (at) => `{"abn":"${abn(at)}",${times(size, (each) => `"${word(each)}":"x${at}"`, ',')}}\n`),
  },
  {
    says: 'a workbook of many columns',
    ending: '.xlsx',
    size: 1_500,
    content: (size) => workbook({ rows: named(size) + shared(2, size) + shared(3, size), texts: TEXT }),
  },
  {
    says: 'a workbook of one long text in each cell',
    ending: '.xlsx',
    size: 400,
    content: (size) =>
      workbook({
        rows: named(5) + times(size, (at) => shared(at + 2, 5)),
        texts: `<si><t>${'long '.repeat(200)}</t></si>`,
      }),
  },
  {
    says: 'a workbook with many formats of cells that begin and do not end',
    ending: '.xlsx',
    size: 1_500,
    content: (size) =>
      workbook(
        { rows: SMALL, texts: TEXT },
        {
          name: 'xl/styles.xml',
          content: `<styleSheet><!--${'<cellXfs>'.repeat(size)}--><cellXfs/></styleSheet>`,
        },
      ),
  },
  {
    says: 'a workbook with many names of ranges',
    ending: '.xlsx',
    size: 600,
    content: (size) =>
      workbook(
        { rows: SMALL, texts: TEXT, behind: '<autoFilter ref="A1:C2"/>' },
        {
          name: 'xl/workbook.xml',
          content: MAIN(
            `<definedNames>${times(size, () => `<definedName name="_xlnm._FilterDatabase" localSheetId="0">Leads!$A$1:$C$2</definedName>`)}</definedNames>`,
          ),
        },
      ),
  },
  {
    says: 'a workbook of which every cell is a link',
    ending: '.xlsx',
    size: 600,
    content: (size) => {
      const link = `<c t="str"><f>HYPERLINK("https://acme.example","Acme")</f><v>Acme</v></c>`;
      const first = `<c t="inlineStr"><is><t>${abn(0)}</t></is></c>`;
      const names = `<row r="1">${times(size + 1, (at) => `<c t="inlineStr"><is><t>${at === 0 ? 'ABN' : `Website ${at}`}</t></is></c>`)}</row>`;
      return workbook({ rows: `${names}<row r="2">${first}${times(size, () => link)}</row>` });
    },
  },
];

async function well(words: readonly string[]): Promise<void> {
  const { code, stderr } = await typed([...words, '--quiet']);
  if (code !== 0 && code !== 3) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
}

const bytesIn = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

/** All that is done with a list, from the question what it is to its output; and the bytes that stay. */
async function workOf({ ending = '.csv', read, content }: Hostile, size: number) {
  const place = mkdtempSync(join(folder, 'list-'));
  const path = join(place, `list${ending}`);
  writeFileSync(path, content(size));
  const words = read === undefined ? [] : ['--header-row', read.header_row];
  const store = ['--store', join(place, 'store')];
  const home = join(place, 'home');
  mkdirSync(home);
  const page = { folder: home, store: undefined };
  return {
    described: await stepsOf(() => well(['plan', path, ...words])),
    planned: await stepsOf(() => well(['plan', 'enrich-company', path, ...words, ...store])),
    bought: await stepsOf(() => well(['run', 'enrich-company', path, ...words, '--budget', '100', ...store])),
    exported: await stepsOf(() => well(['export', 'last', '-o', join(place, `again${ending}`), ...store])),
    looked: await stepsOf(async () => {
      const list = await bringList(page, `list${ending}`, Readable.from([content(size)]));
      if (!('other' in list)) await new ListTables().pageOf(list, {}).catch(() => {});
    }),
    compared: await stepsOf(() => compareVersions(read ?? {}, path, path)),
    bytes: bytesIn(place),
  };
}

/** How much more a list is read in parts of 64 KiB, which end elsewhere. A look through all for each is far above it. */
const ODDS = 0.2;

test.each(some(HOSTILE, 3))('twice as much of $says is no more than twice the work', async (hostile) => {
  // What is loaded and compiled for the first list is not counted.
  await workOf(hostile, 2);
  const once = await workOf(hostile, hostile.size);
  const twice = await workOf(hostile, 2 * hostile.size);
  const grown = Object.entries(twice).map(
    ([what, work]) => [what, work / once[what as keyof typeof once]] as const,
  );
  expect(grown.filter(([, factor]) => factor > 2 + ODDS)).toEqual([]);
});
