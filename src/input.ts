import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { type ColumnMap, mapColumns } from './columns.ts';
import { stop } from './errors.ts';
import { loadFamily } from './family.ts';
import type { Format, Survey } from './format.ts';
import type { Operation } from './operation.ts';

/** A file that was read once from end to end, so that damage is known before anything is paid for. */
export interface Input {
  readonly path: string;
  readonly format: Format;
  readonly survey: Survey;
  /** What the file system said of the file when it was surveyed. */
  readonly stamp: string;
}

/** An input with the operation's columns found in it. */
export interface MappedInput extends Input {
  readonly columns: ColumnMap;
}

export async function openInput(path: string): Promise<Input> {
  const absolute = resolve(path);
  const format = await formatOf(absolute);
  const stamp = await stampOf(absolute);
  return { path: absolute, format, survey: await format.survey(absolute), stamp };
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
): Promise<MappedInput> {
  const input = await openInput(path);
  return { ...input, columns: mapColumns(operation, input.survey.header, chosen) };
}

/** The operation's columns in a file of which only the header is read. */
export async function mapFile(
  path: string,
  operation: Operation,
  chosen: Readonly<Record<string, string>> | undefined,
): Promise<ColumnMap> {
  const absolute = resolve(path);
  const format = await formatOf(absolute);
  return mapColumns(operation, await format.header(absolute), chosen);
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
