import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { StopError } from '../../../src/core/errors.ts';
import type { CellsFor, CopyOptions, ReadOptions, Sheet, ValuedRow } from '../../../src/core/format.ts';
import type { InputRow } from '../../../src/core/row.ts';
import csv from '../../../src/files/formats/csv.ts';
import { InputFile } from '../../../src/files/input.ts';

/** Writes input files into a folder of the running test's own, which goes when the test ends. */
export async function inputFolder(): Promise<(content: string | Buffer, name?: string) => Promise<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'rowonce-csv-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return async (content, name = 'input.csv') => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
}

/** A file that is read in pieces of so many bytes. */
export class CutFile extends InputFile {
  readonly #size: number;

  constructor(path: string, size: number) {
    super(path);
    this.#size = size;
  }

  override async *chunks(startByte?: number): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of super.chunks(startByte)) {
      for (let at = 0; at < chunk.length; at += this.#size) yield chunk.subarray(at, at + this.#size);
    }
  }
}

/** File systems count time in steps. Until the next one begins, nothing tells a change from what was there before. */
export async function nextTick(path: string): Promise<void> {
  const { ctimeNs } = await stat(path, { bigint: true });
  const probe = `${path}.probe`;
  do await writeFile(probe, '');
  while ((await stat(probe, { bigint: true })).ctimeNs <= ctimeNs);
  await rm(probe);
}

/** A list as text, in a folder of the running test's own. */
export async function openText(
  content: string | Buffer,
  options: ReadOptions = {},
  name = 'list.csv',
): Promise<Sheet> {
  const write = await inputFolder();
  return csv.open(new InputFile(await write(content, name)), options);
}

/** Why a list is refused, at the latest when it is read to its end. */
export async function stopOf(opening: Promise<Sheet>): Promise<StopError> {
  const survey = opening.then((sheet) => sheet.survey());
  const error: unknown = await survey.catch((thrown: unknown) => thrown);
  if (!(error instanceof StopError)) throw new Error(`expected a stop, got ${String(error)}`);
  return error;
}

/** What is appended to one row. */
export type CellsOfRow = (
  row: InputRow,
) => readonly string[] | undefined | Promise<readonly string[] | undefined>;

/** Appends to each row what is said of it by itself. */
export function rowByRow(cellsOf: CellsOfRow): CellsFor {
  return (rows) => Promise.all(rows.map((row) => cellsOf(row)));
}

/** The whole copy of a list. */
export async function copied(
  sheet: Sheet,
  columns: readonly string[],
  cellsOf: CellsOfRow,
  {
    dropped = [],
    ...more
  }: Partial<Omit<CopyOptions, 'dropped'>> & { readonly dropped?: readonly string[] } = {},
): Promise<Buffer> {
  const options = { columns, dropped: new Set(dropped), ...more };
  return Buffer.concat(await allOf(sheet.copy(options, rowByRow(cellsOf))));
}

/** Everything that a stream yields, in order. */
export async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export async function* eachRow(sheet: Pick<Sheet, 'groups'>): AsyncGenerator<ValuedRow> {
  for await (const group of sheet.groups()) yield* group;
}

export const rowsOf = (sheet: Pick<Sheet, 'groups'>): Promise<ValuedRow[]> => allOf(eachRow(sheet));
