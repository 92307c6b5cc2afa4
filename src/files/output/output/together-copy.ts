import { stat } from 'node:fs/promises';
import type { AnswerPlace } from '../../../core/answer-body.ts';
import type { Sheet } from '../../../core/format.ts';
import { isOutput } from '../../../core/our-columns.ts';
import { ATTENTION_KINDS, FOUND_PREFIX, type InputRow, OUR_COLUMNS } from '../../../core/row.ts';
import { isOutputOfOther } from '../../../job/job-settings.ts';
import type { Batch, LedgerReader, RowRecord } from '../../../ledger/ledger.ts';
import type { CellSafety } from '../../../lib/formulas.ts';
import type { Input } from '../../input.ts';
import { lookedUpIn, type Ownership, removeStale, writeOwnFile } from '../own-files.ts';
import { type Addition, addedCells, additionOf, cellsOrWhy, ourCells, shownBody } from './added-columns.ts';
import { rowsWithReason } from './attention-copy.ts';
import { ledgerRows } from './beside-copies.ts';
import { type CellWriter, cellsFor } from './cell-writer.ts';
import { type Additions, attentionPath, copyFor, type Destination, drained } from './destination.ts';
import { pageRowsOf, wholeAddition } from './likely-columns.ts';

/**
 * One output of several batches over one input, made of the ledger and the input alone. The columns of the first batch have their
 * usual names; where a later one has a column of a name that is taken, a word of its operation is put behind it.
 */

export interface TogetherPart {
  readonly batch: Batch;
  readonly job: Additions;
  readonly answerPlace: AnswerPlace;
}

interface TogetherOrder {
  readonly ledger: LedgerReader;
  readonly parts: readonly TogetherPart[];
  readonly input: Input;
  readonly destination: Destination;
  readonly note: (sentence: string) => void;
  readonly noteWritten: NonNullable<Ownership['noteWritten']>;
}

export interface TogetherFiles {
  readonly output?: string;
  readonly attention?: string;
}

interface Named extends TogetherPart {
  readonly addition: Addition;
  readonly names: readonly string[];
  readonly recordsOf: ReturnType<typeof ledgerRows>;
}

export async function writeTogether(order: TogetherOrder): Promise<TogetherFiles> {
  const { ledger, input, destination, note, noteWritten } = order;
  const { safety, cells: writer } = cellsFor(destination, order.parts[0]?.job.formulas ?? 'safe');
  const copy = await copyFor(input, destination);
  const named = await namedParts(order, safety);
  const dropped = new Set(named.flatMap((part) => [...part.addition.dropped]));
  let attention = 0;
  const chunks = copy(
    { columns: named.flatMap(({ names }) => names), dropped, note, isJson: destination.isJson },
    eachRow(named, (row, records) => {
      if (reasonsOf(named, records).length > 0) attention += 1;
      return named.flatMap((part, at) => cellsOf(part, row, records[at], writer));
    }),
  );
  if (destination.kind === 'stream') {
    for await (const chunk of chunks) await drained(destination.stream, chunk);
    return {};
  }
  const mode = (await stat(input.path)).mode & 0o777 & ~process.umask();
  const own: Ownership = { ...lookedUpIn(ledger, note), noteWritten };
  const beforePlacing = (): Promise<void> => input.file.requireUnchanged();
  const output = await writeOwnFile({ path: destination.path, mode, chunks, beforePlacing }, own);
  const path = attentionPath(output);
  const again = await namedParts(order, safety);
  const written =
    attention === 0
      ? undefined
      : await writeOwnFile(
          { path, mode, chunks: attentionCopy(copy, input.survey.header, again, writer) },
          own,
        );
  await removeStale(path, own, written);
  return { output, ...(written === undefined ? {} : { attention: written }) };
}

function attentionCopy(
  copy: Sheet['copy'],
  header: readonly string[],
  parts: readonly Named[],
  writer: CellWriter,
): AsyncIterable<Buffer> {
  const ours = new Set(parts.flatMap(({ addition }) => [...addition.ours]));
  const reasons = eachRow(parts, (_row, records) => {
    const all = reasonsOf(parts, records);
    return all.length === 0 ? undefined : all.join('; ');
  });
  return rowsWithReason(copy, { header, ours }, writer, undefined, reasons);
}

/** @param cells undefined for a row that is left out. */
function eachRow<Made>(
  parts: readonly Named[],
  cells: (row: InputRow, records: readonly (RowRecord | undefined)[]) => Made,
): (rows: readonly InputRow[]) => Promise<readonly Made[]> {
  return async (rows) => {
    const found = await Promise.all(parts.map(({ recordsOf }) => recordsOf(rows)));
    return rows.map((row, at) =>
      cells(
        row,
        found.map((records) => records[at]),
      ),
    );
  };
}

function cellsOf(
  { batch, addition: { columns }, answerPlace }: Named,
  row: InputRow,
  record: RowRecord | undefined,
  writer: CellWriter,
): readonly string[] {
  const body = shownBody(record?.answers ?? []);
  const cells = (): readonly string[] => addedCells(columns, row, body, answerPlace, writer);
  const added = cellsOrWhy(columns.length, cells, body);
  return [...added.cells, ...ourCells(batch, row, record, added.why, writer)];
}

function reasonsOf(parts: readonly Named[], records: readonly (RowRecord | undefined)[]): readonly string[] {
  return parts.flatMap(({ batch }, at) => {
    const outcome = records[at]?.outcome;
    if (outcome === undefined || !ATTENTION_KINDS.has(outcome.kind)) return [];
    return [`${batch.operation}: ${outcome.reason ?? outcome.kind}`];
  });
}

async function namedParts(
  { ledger, parts, input, note }: TogetherOrder,
  safety: CellSafety,
): Promise<readonly Named[]> {
  const { header } = input.survey;
  const additionIn = async (part: TogetherPart, of: readonly string[]): Promise<Addition> => {
    const { add, onExisting } = part.job;
    return add === undefined
      ? wholeAddition({ ...part, ledger, safety, note }, of, part.batch)
      : additionOf(of, add, onExisting, isOutputOfOther(part.batch.settings));
  };
  // The columns of later parts stand behind those of the first, where an output of before is the input.
  const old = new Set<string>();
  for (const part of parts.slice(1))
    for (const column of oldColumns(part, header, await additionIn(part, header))) old.add(column);
  let left = header.filter((column) => !old.has(column));
  const dropped = new Set(old);
  const ours = new Set(old);
  const taken = new Set<string>();
  const named: Named[] = [];
  for (const part of parts) {
    const addition = await additionIn(part, left);
    const columns = addition.columns.map(({ fills, ...column }) =>
      fills === undefined ? column : { ...column, fills: header.indexOf(left[fills] ?? '') },
    );
    for (const column of addition.dropped) dropped.add(column);
    for (const column of addition.ours) ours.add(column);
    // What a part takes the place of is not there for the next one.
    left = left.filter((column) => !addition.dropped.has(column));
    const standing = new Set(left.map((column) => column.toLowerCase()));
    const isFree = (name: string): boolean => !taken.has(name) && !standing.has(name);
    const wanted = [...columns.map(({ name }) => name), ...OUR_COLUMNS];
    const names = wanted.map((name) => {
      const free = freeName(name, suffixOf(part.batch), isFree);
      taken.add(free.toLowerCase());
      return free;
    });
    const recordsOf = ledgerRows(ledger, part.batch.id, pageRowsOf(part.job));
    named.push({ ...part, addition: { columns, dropped, ours }, names, recordsOf });
  }
  return named;
}

/** What an earlier output of several has behind the columns of its first: names that the part would write now, and no others. */
function oldColumns(part: TogetherPart, header: readonly string[], { columns }: Addition): readonly string[] {
  const suffix = suffixOf(part.batch);
  if (!isOutput(header)) return [];
  const behind = header.slice(header.indexOf('_as_of') + 1);
  // A name that was taken even so has got a number.
  const bare = (column: string): string => column.replace(/_\d+$/, '');
  const standing = new Set(behind.map(bare));
  if (!OUR_COLUMNS.every((name) => standing.has(`${name}_${suffix}`))) return [];
  const found = columns.flatMap(({ name, path }) => [name, path, `${FOUND_PREFIX}${path}`]);
  const known = new Set(found);
  const suffixed = new Set([...found, ...OUR_COLUMNS].map((name) => `${name}_${suffix}`));
  return behind.filter((column) => known.has(column) || suffixed.has(bare(column)));
}

/** `person` of `enrich-person`. */
export function suffixOf({ operation }: Pick<Batch, 'operation'>): string {
  return operation.split('-').at(-1) ?? operation;
}

/** @param isFree whether nothing has that name, in lower case. */
function freeName(name: string, suffix: string, isFree: (name: string) => boolean): string {
  let free = isFree(name.toLowerCase()) ? name : `${name}_${suffix}`;
  for (let number = 2; !isFree(free.toLowerCase()); number += 1) free = `${name}_${suffix}_${number}`;
  return free;
}
