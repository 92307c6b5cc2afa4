import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { StopError, stop } from '../../core/errors.ts';
import { listsFolder } from '../../core/paths.ts';
import { describeBeginning } from '../../files/describe-file.ts';
import { openFile } from '../../files/input.ts';
import type { Chunks } from '../../lib/atomic-file.ts';
import { endingOf } from '../../lib/file-name.ts';
import type { Beginning, BeginningQuery } from '../api.ts';
import type { Server } from './server.ts';

/** The first bytes that a page sends before all others. More of them would take longer than is waited for. */
const MOST_BYTES = 1 << 20;

const ROWS_SHOWN = 100;

const NOTHING: Beginning = { columns: [], first: [], rows: null };

/**
 * The first rows of a file whose other bytes are still on their way. Nothing of them is kept.
 * @throws StopError `usage` for more bytes than a beginning has.
 */
export async function beginningOf(
  { folder }: Pick<Server, 'folder'>,
  { name, size }: z.output<typeof BeginningQuery>,
  chunks: Chunks,
): Promise<Beginning> {
  const bytes = await bytesIn(chunks);
  // A crash leaves a folder of a list without a note, which the next start of the page removes.
  const uploadFolder = join(listsFolder(folder), randomBytes(8).toString('hex'));
  await mkdir(uploadFolder, { recursive: true, mode: 0o700 });
  try {
    const path = join(uploadFolder, `list${endingOf(name)}`);
    await writeFile(path, wholeLines(bytes), { mode: 0o600 });
    return await firstRowsAt(path, size);
  } catch (error) {
    // A workbook has its directory at its end, and a quoted cell may go beyond these bytes.
    if (error instanceof StopError) return NOTHING;
    throw error;
  } finally {
    await rm(uploadFolder, { recursive: true, force: true });
  }
}

async function bytesIn(chunks: Chunks): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > MOST_BYTES)
      throw stop('usage', 'The first part of a list has at most 1 MiB.', 'Send the first bytes alone.');
  }
  return Buffer.concat(parts);
}

/** Without a last line that is cut. In UTF-16 with the small byte first, one more byte belongs to its end. */
function wholeLines(bytes: Buffer): Buffer {
  const end = Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1;
  return bytes.subarray(0, bytes[end] === 0 ? end + 1 : end);
}

async function firstRowsAt(path: string, size: number): Promise<Beginning> {
  const { sheet, read } = await openFile(path);
  const columns = (await sheet.header()).map((name) => ({ name, from: 'list' as const }));
  const first = [];
  for await (const group of sheet.groups()) {
    first.push(
      ...group.map(({ row, cells, unreadable }) => ({ row, cells, ...(unreadable && { unreadable }) })),
    );
    if (first.length >= ROWS_SHOWN) break;
  }
  const { described, bytes } = await describeBeginning({ sheet, read }, [], ROWS_SHOWN);
  const rows = bytes ? Math.round((described.rows * size) / bytes) : null;
  return { columns, first: first.slice(0, ROWS_SHOWN), rows };
}
