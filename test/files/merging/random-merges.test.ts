import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { OUR_COLUMNS } from '../../../src/core/row.ts';
import { openFile } from '../../../src/files/input.ts';
import { type Merge, type MergeOrder, openResult, planMerge } from '../../../src/files/merging.ts';
import { times } from '../../combinations.ts';
import { bookOf, textRow } from '../formats/workbook-file.ts';

/**
 * Goal: whatever two people do to a result and to the list, in whatever kinds of files, no answer and no correction reaches another
 * row, no edit is lost, and nothing is left out without a word.
 * Method: random lists, of which a result and a later list are made by random edits. The test knows which row is which; the merge is
 * that of the command, over files, with what the store knows.
 */

/** Sent is the first. All companies share the website, by which nobody can tell them. */
const COLUMNS = ['Domain', 'Name', 'Note', 'Website'] as const;
const EDITED = ['Domain', 'Name', 'Note'] as const;
type Cells = Readonly<Record<(typeof EDITED)[number], string>>;

/** A row of the list, and what became of it in one of the two files. */
interface Copy {
  /** The row's place in the list; -1 for one that it never had. */
  readonly of: number;
  readonly cells: Cells;
}

const NAME = fc.constantFrom('', 'Foo', 'Bar');
const ROW = fc.record({
  Domain: fc.constantFrom('', 'a.example', 'A.example', 'www.a.example', 'b.example', 'c.example'),
  Name: NAME,
  Note: fc.constantFrom('', 'x'),
});
const EDIT = fc.record(
  {
    Domain: fc.constantFrom('', 'a.example', 'A.EXAMPLE', 'b.example', 'new.example'),
    Name: fc.constantFrom('', 'Foo', 'Baz'),
    Note: fc.constantFrom('', 'x', 'edited'),
  },
  { requiredKeys: [] },
);
const FATE = fc.record({
  edit: fc.option(EDIT, { freq: 3, nil: {} }),
  isCut: fc.boolean(),
  place: fc.nat(99),
});
const FILE = fc.record({
  isEdited: fc.boolean(),
  isCut: fc.boolean(),
  isSorted: fc.boolean(),
  ending: fc.constantFrom('csv', 'csv', 'xlsx'),
});
const CASE = fc.record({
  list: fc.array(fc.record({ cells: ROW, inResult: FATE, inHers: FATE }), { minLength: 1, maxLength: 7 }),
  result: FILE,
  hers: FILE,
  added: fc.array(ROW, { maxLength: 2 }),
  isAttention: fc.boolean(),
  isListThere: fc.boolean(),
  /** How the column is called that is sent. */
  sent: fc.constantFrom('Domain', 'Key'),
});
type Case = typeof CASE extends fc.Arbitrary<infer Value> ? Value : never;

function copiesOf({ list }: Case, side: 'inResult' | 'inHers', file: Case['hers']): readonly Copy[] {
  const copies = list.flatMap(({ cells, [side]: { edit, isCut, place } }, of) =>
    file.isCut && isCut && of > 0 ? [] : [{ of, cells: { ...cells, ...(file.isEdited ? edit : {}) }, place }],
  );
  return file.isSorted ? copies.sort((a, b) => a.place - b.place) : copies;
}

const answerTo = (domain: string): string => (domain === '' ? '' : `answer to ${domain}`);

const headerOf = ({ sent }: Case): readonly string[] =>
  COLUMNS.map((name) => (name === 'Domain' ? sent : name));

const cellsOf = (cells: Cells): readonly string[] => [...EDITED.map((name) => cells[name]), 'group.example'];

function resultTable(each: Case, copies: readonly Copy[]): readonly (readonly string[])[] {
  const own = headerOf(each);
  if (each.isAttention)
    return [
      [...own, '_row', '_reason'],
      ...copies.map(({ of, cells }) => [...cellsOf(cells), `${of + 2}`, 'why']),
    ];
  return [
    [...own, 'found', ...OUR_COLUMNS],
    ...copies.map(({ of, cells }) => {
      const sent = each.list[of]?.cells.Domain ?? '';
      const ours =
        sent === '' ? ['invalid', 'blank', '', '0', '', ''] : ['matched', '', 'domain', '1', 'bought', 'now'];
      return [...cellsOf(cells), answerTo(sent), ...ours];
    }),
  ];
}

/** A table as a file of one kind or another. @returns its path. */
async function written(stem: string, ending: string, table: readonly (readonly string[])[]): Promise<string> {
  const contents: Record<string, () => string | Buffer> = {
    csv: () => stringify(table.map((cells) => [...cells])),
    xlsx: () => bookOf({ rows: table.map((cells, at) => textRow(at + 1, ...cells)).join('') }),
  };
  const path = `${stem}.${ending}`;
  await writeFile(path, contents[ending]?.() ?? '');
  return path;
}

function knownOf(each: Case): MergeOrder['known'] {
  const header = headerOf(each);
  const cellOf = (cells: readonly string[]) => (column: string) => cells[header.indexOf(column)] ?? '';
  const rows = each.list.map(({ cells }, at) => [at + 2, cellOf(cellsOf(cells))] as const);
  return {
    ...{ columns: { domain: each.sent }, answers: new Map([['found', 'refuse']]), hers: new Set(header) },
    before: new Map(each.isListThere && each.isAttention ? rows : []),
  };
}

/** Where the list is gone, a cell that was made to say what another row has cannot be told from that one's own. */
function unmistakable({ of, cells }: Copy, was: Cells): Copy {
  const text = (column: 'Name' | 'Note'): string =>
    cells[column] === was[column] ? cells[column] : `${column} ${of}`;
  return { of, cells: { ...cells, Name: text('Name'), Note: text('Note') } };
}

/**
 * In an output nobody can tell a row that was made to say what another one did from that one, so no test does that.  */
function resultCopies(each: Case): readonly Copy[] {
  const { isAttention, isListThere } = each;
  return copiesOf(each, 'inResult', each.result).map((edited) => {
    const was = each.list[edited.of]?.cells ?? edited.cells;
    const copy = isListThere ? edited : unmistakable(edited, was);
    return { ...copy, cells: { ...copy.cells, Domain: isAttention ? copy.cells.Domain : was.Domain } };
  });
}

interface Done {
  readonly results: readonly Copy[];
  readonly hers: readonly Copy[];
  readonly merged: readonly Readonly<Record<string, string>>[];
  readonly plan: Merge;
}

async function done(each: Case, place: string): Promise<Done> {
  const results = resultCopies(each);
  const hers = [...copiesOf(each, 'inHers', each.hers), ...each.added.map((cells) => ({ of: -1, cells }))];
  const result = await written(join(place, 'result'), each.result.ending, resultTable(each, results));
  const mine = [headerOf(each), ...hers.map(({ cells }) => cellsOf(cells))];
  const into = await written(join(place, 'mine'), each.hers.ending, mine);
  const opened = await openResult(result);
  const plan = await planMerge({
    ...{ result: opened, into: await openFile(into, {}), note: () => {} },
    known: knownOf(each),
  });
  const merged = join(place, `merged.${each.hers.ending}`);
  await writeFile(merged, plan.chunks());
  return { results, hers, merged: await rowsOf(merged, each), plan };
}

async function rowsOf(path: string, { sent }: Case): Promise<Record<string, string>[]> {
  const { sheet } = await openFile(path);
  const header = (await sheet.header()).map((name) => (name === sent ? 'Domain' : name));
  const rows: Record<string, string>[] = [];
  for await (const group of sheet.groups())
    for (const { cells } of group)
      rows.push(Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
  return rows;
}

const bare = (domain: string): string => domain.toLowerCase().replace(/^www\./, '');

const isSame = (one: Cells, other: Cells | undefined): boolean =>
  EDITED.every((column) => one[column] === other?.[column]);

function check(each: Case, all: Done): void {
  const { results, hers, merged, plan } = all;
  expect(merged).toHaveLength(hers.length);
  expect(plan.found + plan.nowhere.length).toBe(results.length);
  for (const at of hers.keys()) {
    requireOwnAnswer(each, all, at);
    requireOwnCells(each, all, at);
  }
  for (const copy of results) requireFound(each, all, copy);
}

/** What was found for a row is what was found for what it says. */
function requireOwnAnswer({ list }: Case, { results, hers, merged }: Done, at: number): void {
  const found = merged[at]?.found ?? '';
  const sent = found.replace('answer to ', '');
  const sayers = results.filter((one) => list[one.of]?.cells.Domain === sent);
  const meant = [sent, ...sayers.map(({ cells }) => cells.Domain)].map(bare);
  const says = hers[at]?.cells.Domain ?? '';
  if (sent !== '' && !meant.includes(bare(says)))
    throw new Error(`Row ${at} says ${says} and has the ${found}`);
}

/** A cell of hers that changes is one that was mended in the result, in a row that nothing tells from her own. */
function requireOwnCells({ list, isAttention }: Case, { results, hers, merged }: Done, at: number): void {
  const { of, cells } = hers[at] ?? { of: -1, cells: { Domain: '', Name: '', Note: '' } };
  for (const column of EDITED) {
    const now = merged[at]?.[column] ?? '';
    const mayMean = (one: Copy): boolean => {
      const was = list[one.of]?.cells;
      if (one.cells[column] !== now || was === undefined) return false;
      if (one.of === of) return cells[column] === was[column] || cells[column] === '';
      // Among rows with the same identifier their order decides, for whoever has not seen the edits.
      const isAsSent = was.Domain !== '' && bare(was.Domain) === bare(cells.Domain);
      const isSameToHer = of !== -1 && isSame(was, list[of]?.cells) && cells[column] === was[column];
      const isMendedTo = bare(one.cells.Domain) === bare(cells.Domain) && cells.Domain !== '';
      return isSame(was, cells) || isSameToHer || isMendedTo || isAsSent;
    };
    if (now !== cells[column] && !(isAttention && results.some(mayMean)))
      throw new Error(`Row ${at}, ${column}: "${cells[column]}" became "${now}"`);
  }
}

/** A row that is as it was sent, and alone, gets its answer, and all that was mended in it is written or shown. */
function requireFound(each: Case, all: Done, copy: Copy): void {
  const { list, isAttention } = each;
  const was = list[copy.of]?.cells;
  const at = all.hers.findIndex(({ of }) => of === copy.of);
  if (was === undefined || at === -1 || !isAlone(each, all, was.Domain)) return;
  if (copy.cells.Domain !== was.Domain || all.hers[at]?.cells.Domain !== was.Domain) return;
  if (!isAttention) expect(all.merged[at]?.found).toBe(answerTo(was.Domain));
  else requireMended(each, all, copy, at);
}

function isAlone({ list }: Case, { results, hers }: Done, domain: string): boolean {
  const isIt = ({ cells }: { readonly cells: Cells }): boolean => bare(cells.Domain) === bare(domain);
  return domain !== '' && [list, results, hers].every((rows) => rows.filter(isIt).length === 1);
}

function requireMended(each: Case, { merged, plan }: Done, { of, cells }: Copy, at: number): void {
  for (const column of EDITED) {
    const isMended = cells[column] !== each.list[of]?.cells[column];
    if (!isMended || cells[column] === merged[at]?.[column]) continue;
    if (cells[column] === '' && !each.isListThere) continue;
    const row = at + 2;
    expect(plan.kept).toContainEqual(expect.objectContaining({ row, column }));
  }
}

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'rowonce-test-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
};

test('whatever is edited, cut, sorted and added on both sides, each answer and each correction reaches its own row or is told of', async () => {
  const place = await folder();
  const merges = fc.asyncProperty(CASE, async (each) => check(each, await done(each, place)));
  await fc.assert(merges, { numRuns: times(10, 300) });
});
