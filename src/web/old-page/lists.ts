import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono } from 'hono';
import { openFile } from '../../files/input.ts';
import { replaceFile, stampOf } from '../../lib/atomic-file.ts';
import {
  Choices,
  ListDescription,
  type ListRow,
  type ListRows,
  ListRowsQuery,
  Reading,
  type ReadWords,
} from '../api.ts';
import { bodyOf, queryOf } from '../server/answers.ts';
import { askChild } from '../server/children.ts';
import { inWordsOf, type KeptList, keepReading, type ListFile } from '../server/list-files.ts';
import { listOf, viewOf } from '../server/lists.ts';
import type { Server } from '../server/server.ts';
import type { Readings } from './readings.ts';

export function readingRoutes(server: Server): Hono {
  return new Hono()
    .put('/lists/:id/reading', async (context) => {
      const list = await listOf(server, context);
      const reading = await bodyOf(context, Reading);
      return context.json(viewOf(await keepReading(server, list, reading)));
    })
    .get('/lists/:id/rows', async (context) => {
      const { limit } = queryOf(context, ListRowsQuery);
      const list = await listOf(server, context);
      const rows = await inWordsOf(list, () => rowsOf(list, limit));
      return context.json(rows satisfies ListRows);
    });
}

const MOST_ROWS_AT_ONCE = 500;

async function rowsOf({ path, reading }: KeptList, limit: number): Promise<ListRows> {
  const { sheet } = await openFile(path, reading?.read ?? {});
  const header = [...(await sheet.header())];
  const rows: ListRow[] = [];
  for await (const group of sheet.groups())
    for (const { cells, ...row } of group) {
      if (rows.length >= Math.min(limit, MOST_ROWS_AT_ONCE)) return { header, rows };
      rows.push({ ...row, cells: [...cells] });
    }
  return { header, rows };
}

/** The flags by which a command reads the file as it was chosen. */
function readWords(read: ReadWords): readonly string[] {
  return Object.entries(read).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, String(value)]);
}

/** What a file is, asked once for each of its contents and each way to read it. */
export async function factsOf(
  { program }: Server,
  kept: Readings<ListDescription>,
  list: ListFile,
): Promise<ListDescription> {
  const { path, reading } = list;
  const words = ['plan', path, ...readWords(reading?.read ?? {})];
  const ask = async () => ListDescription.parse(await askChild(program, words));
  return kept.of(JSON.stringify([await stampOf(path), words]), () => inWordsOf(list, ask));
}

const DRAFT = 'draft.json';

/** What was chosen for the list so far, so that a reload and another tab go on with it. */
export async function draftOf({ folder }: ListFile): Promise<Choices | null> {
  return readFile(join(folder, DRAFT), 'utf8').then(
    (text) => Choices.safeParse(JSON.parse(text)).data ?? null,
    () => null,
  );
}

export async function keepDraft({ folder }: ListFile, choices: Choices): Promise<void> {
  await replaceFile(join(folder, DRAFT), 0o600, [JSON.stringify(choices)]);
}
