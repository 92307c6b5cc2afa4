import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { type ColumnMap, mapColumns } from './columns.ts';
import { stop } from './errors.ts';
import { loadFamily } from './family.ts';
import type { Format, Survey } from './format.ts';
import { readInput } from './input-file.ts';
import type { LedgerReader } from './ledger.ts';
import type { Operation } from './operation.ts';

/** A file that was read once from end to end, so that damage is known before anything is paid for. */
export interface Input {
  readonly path: string;
  readonly format: Format;
  readonly survey: Pick<Survey, 'sha256' | 'header' | 'rows'>;
  /** What the file system said of the file when it was surveyed. */
  readonly stamp: string;
}

/** A file of which nothing but the header was read. */
export type OpenedInput = Pick<MappedInput, 'path' | 'format' | 'columns'>;

/** An input with the operation's columns found in it. */
export interface MappedInput extends Input {
  readonly columns: ColumnMap;
}

/**
 * Opens a file, and reads it from end to end unless the ledger knows its content: then an earlier run has done so, and
 * a resumed batch of a million rows need not do it again.
 * @throws StopError `input` with what is wrong and where.
 */
export async function openInput(path: string, ledger?: Pick<LedgerReader, 'batches'>): Promise<Input> {
  const file = await openFile(path);
  const stamp = await stampOf(file.path);
  const survey = await earlierSurvey(file.path, file.format, ledger);
  return { ...file, stamp, survey: survey ?? (await file.format.survey(file.path)) };
}

/** What an earlier run learned of the same bytes, read in the same format; undefined when there was none. */
async function earlierSurvey(
  path: string,
  format: Format,
  ledger: Pick<LedgerReader, 'batches'> | undefined,
): Promise<Input['survey'] | undefined> {
  const batches = (await ledger?.batches()) ?? [];
  if (batches.length === 0) return undefined;
  const digest = await contentHash(path);
  const earlier = batches.find(
    ({ inputSha256, inputPath }) => inputSha256 === digest && extname(inputPath) === extname(path),
  );
  if (earlier === undefined) return undefined;
  return { sha256: digest, header: await format.header(path), rows: earlier.inputRows };
}

/** SHA-256 of the file's bytes, hex. @throws StopError `input` when it cannot be read. */
export async function contentHash(path: string): Promise<string> {
  const sha256 = createHash('sha256');
  for await (const chunk of readInput(path)) sha256.update(chunk);
  return sha256.digest('hex');
}

/** @throws StopError `input` when the file is not the one any more that was surveyed. */
export async function requireUnchanged({ path, stamp }: Input): Promise<void> {
  if ((await stampOf(path)) === stamp) return;
  throw stop(
    'input',
    `${path} was changed while it was worked on, so its rows and their answers may not belong together.`,
    'Type the same command again: what was bought is kept, and only the difference is bought.',
  );
}

/** Undefined parts for a missing file: the survey says what is wrong with it. */
async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return `${found?.ino} ${found?.size} ${found?.mtimeMs}`;
}

export async function openMappedInput(
  path: string,
  operation: Operation,
  chosen: Readonly<Record<string, string>> | undefined,
  ledger?: Pick<LedgerReader, 'batches'>,
): Promise<MappedInput> {
  const input = await openInput(path, ledger);
  return { ...input, columns: mapColumns(operation, input.survey.header, chosen) };
}

/**
 * As `openMappedInput`, of which only the header is read, for whoever goes through the rows once and no more. Damage in
 * them is found on the way.
 */
export async function openHeader(
  path: string,
  operation: Operation,
  chosen: Readonly<Record<string, string>> | undefined,
): Promise<OpenedInput> {
  const file = await openFile(path);
  return { ...file, columns: mapColumns(operation, await file.format.header(file.path), chosen) };
}

/** A file that nobody has looked into yet. @throws StopError `input` when no format reads such files. */
export async function openFile(path: string): Promise<Pick<Input, 'path' | 'format'>> {
  const absolute = resolve(path);
  return { path: absolute, format: await formatOf(absolute) };
}

/** The format that claims the file's ending. */
async function formatOf(path: string): Promise<Format> {
  const formats = await loadFamily<Format>(new URL('./formats/', import.meta.url));
  const extension = extname(path).toLowerCase();
  for (const format of formats.values()) {
    if (format.extensions.includes(extension)) return format;
  }
  const known = [...formats.values()].flatMap((format) => format.extensions).join(', ');
  throw stop(
    'input',
    `${path} ends in "${extension}", which no format reads.`,
    `Save the file as one of: ${known}.`,
  );
}
