import { hostname } from 'node:os';
import type { DigestedPiece, Digests, Position } from '../core/format.ts';
import type { RowNumber } from '../core/row.ts';
import type { Context, Writing } from './context.ts';
import { each, type Sql } from './db.ts';
import type { BatchId } from './records.ts';

/**
 * Files on this host: where a list can be read from again, what was read, and what we wrote where. The name of the host tells whose they
 * are; one whose disk does not last finds its pieces again.
 */

const START = `row, byte_offset AS "byteOffset", lines`;

export const readHostFiles = ({ db }: Context) => ({
  /** The pieces of a batch's list, if they were found by the same reading; else none. */
  async piecesOf(batch: BatchId, reading: Digests['reading']): Promise<readonly DigestedPiece[]> {
    const found = await db.rows<Position & { readonly digest: Uint8Array }>(
      `SELECT ${START}, digest FROM pieces WHERE batch = ? AND reading = ? ORDER BY row`,
      [batch, reading],
    );
    return found.map(({ digest, ...start }) => ({ start, digest: Buffer.from(digest).toString('hex') }));
  },
  /** Where the last of them begins that does not begin after `row`. */
  async positionBefore(batch: BatchId, row: RowNumber): Promise<Position | undefined> {
    const sql = `SELECT ${START} FROM pieces WHERE batch = ? AND row <= ? ORDER BY row DESC LIMIT 1`;
    return (await db.rows<Position>(sql, [batch, row]))[0];
  },
  /** SHA-256 of what we last wrote at that path; two of them while the file is being replaced. */
  written: (path: string): Promise<readonly string[]> => writtenAt(db, path),
});

async function writtenAt(sql: Sql, path: string): Promise<readonly string[]> {
  const found = await sql.rows<{ sha256: string }>(
    `SELECT sha256 FROM files WHERE kind = 'written' AND path = ? AND host = ?`,
    [path, hostname()],
  );
  return found.map(({ sha256 }) => sha256);
}

const PIECE = each({
  batch: 'text',
  row: 'int',
  byte_offset: 'int',
  lines: 'int',
  reading: 'text',
  digest: 'bytes',
})(`
INSERT INTO pieces (batch, row, byte_offset, lines, reading, digest)
SELECT v.batch, v.row, v.byte_offset, v.lines, v.reading, v.digest FROM v WHERE 1 = 1 ON CONFLICT DO NOTHING`);

export const writeHostFiles = (context: Writing) => ({
  /** @param sha256s of our files that may stand there from now on. @param batch whose rows are in what is new there. */
  noteWritten: (path: string, sha256s: readonly string[], batch?: BatchId): Promise<void> =>
    context.transaction(async (sql) => {
      const known = await writtenAt(sql, path);
      for (const sha256 of known.filter((each) => !sha256s.includes(each)))
        await sql.rows(`DELETE FROM files WHERE kind = 'written' AND path = ? AND host = ? AND sha256 = ?`, [
          ...[path, hostname(), sha256],
        ]);
      // What stands at the path until it is replaced keeps its batch.
      for (const sha256 of sha256s.filter((each) => !known.includes(each)))
        await noteFile(sql, { path, kind: 'written', sha256, batch });
    }),
  /** Remembers the pieces of a batch's list. */
  keepPieces: (batch: BatchId, { reading, pieces = [] }: Digests): Promise<void> =>
    context.transaction(async (sql) => {
      await sql.rows('DELETE FROM pieces WHERE batch = ? AND reading <> ?', [batch, reading]);
      const records = pieces.map(({ start: { row, byteOffset, lines }, digest }) => {
        return { batch, row, byte_offset: byteOffset, lines, reading, digest: Buffer.from(digest, 'hex') };
      });
      await sql.each(PIECE, records);
    }),
});

interface NotedFile {
  readonly path: string;
  readonly kind: 'written' | 'list' | 'job';
  /** Empty where it is not known. */
  readonly sha256: string;
  readonly batch: BatchId | undefined;
}

export async function noteFile(sql: Sql, { path, kind, sha256, batch }: NotedFile): Promise<void> {
  await sql.rows(
    'INSERT INTO files (path, kind, sha256, batch, host) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    [path, kind, sha256, batch ?? null, hostname()],
  );
}
