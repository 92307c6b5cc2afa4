/**
 * Goal: a command loads what it uses. What it does not use costs it no time: a database on a server, the page, requests,
 * workbooks, other encodings, and what reads cells that the list does not have.
 * Method: the real command with an account and a list of which everything is known. A hook of Node notes each file that is loaded,
 * and the maps of what was built say of which sources it is.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { Workplace } from '../faults/workplace.ts';
import { Desk } from './desk.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'loaded-files.ts'));

const JOB = 'operation: enrich-company\naccount: data\ncolumns: {domain: Site}\n';
const ROWS = Array.from({ length: 10 }, (_, at) => `known-${at}.com,Company ${at}`);
const rowsIn = (note: string): string => `Site,Name,Note\n${ROWS.map((row) => `${row},${note}\n`).join('')}`;

let desk: Desk;

beforeAll(async () => {
  const place = await Workplace.open();
  desk = new Desk(place);
  await desk.write('job.yaml', JOB);
  await desk.write('bought.csv', rowsIn('bought'));
  await desk.write('by-job.csv', rowsIn('by job'));
  await desk.write('by-name.csv', rowsIn('by name'));
  expect(await desk.start(['run', 'job.yaml', 'bought.csv', '--budget', '1000'])).toMatchObject({ code: 0 });
  return () => place[Symbol.asyncDispose]();
});

interface Loaded {
  readonly packages: readonly string[];
  readonly sources: readonly string[];
}

async function loadedBy(words: readonly string[]): Promise<Loaded> {
  const note = desk.place.path('loaded.txt');
  const preload = new URL(PRELOAD);
  preload.searchParams.set('note', note);
  const env = { NODE_OPTIONS: `--import=${preload}` };
  expect(await desk.start(words, { env })).toMatchObject({ code: 0 });
  const urls = readFileSync(note, 'utf8').split('\n');
  const paths = urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
  const packages = paths.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return { packages: [...new Set(packages)].sort(), sources: paths.flatMap(sourcesOf) };
}

/** The sources of a file that was built, from the root of the repository. */
function sourcesOf(path: string): readonly string[] {
  const map = `${path}.map`;
  if (!existsSync(map)) return [];
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] };
  return sources.map((source) => relative(ROOT, resolve(dirname(path), source)));
}

const LEDGER = ['better-sqlite3'];
/** What a list of CSV is read by, and its rows are worked on by. */
const LIST = [...LEDGER, 'p-queue'];
/** Hosts of companies are told from those that many share. */
const HOSTS = ['tldts'];
const OUTPUT = ['preact', 'preact-render-to-string'];

test.each([
  { words: ['--version'], packages: [] },
  { words: ['--help'], packages: LIST },
  { words: ['plan', 'job.yaml', 'by-job.csv'], packages: [...LIST, ...HOSTS] },
  { words: ['run', 'job.yaml', 'by-job.csv', '--budget', '1'], packages: [...LIST, ...HOSTS, ...OUTPUT] },
  {
    words: ['run', 'enrich-company', 'by-name.csv', '--column', 'domain=Site', '--budget', '1'],
    packages: [...LIST, ...HOSTS, ...OUTPUT],
  },
  { words: ['status'], packages: LEDGER },
  { words: ['log'], packages: LEDGER },
  { words: ['spend'], packages: LEDGER },
  { words: ['export', 'last', '-o', 'again.csv'], packages: [...LIST, ...OUTPUT] },
  { words: ['accounts', 'list'], packages: [...LIST, 're2js'] },
])('$words loads what it uses and nothing else', async ({ words, packages }) => {
  const loaded = await loadedBy(words);
  expect(loaded.packages).toEqual([...packages].sort());
  expect(loaded.sources.filter((source) => UNUSED.test(source))).toEqual([]);
});

/** What serves the page, reads a workbook, or speaks to a database on a server. */
const UNUSED = /^src\/(?:web\/serve|files\/formats\/xlsx|ledger\/(?:db|stores)\/postgres)/;
