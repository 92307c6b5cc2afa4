import { hostname } from 'node:os';
import type { Context, Writing } from './context.ts';
import type { Sql } from './db.ts';
import type { BatchId } from './records.ts';

/** Files on this host: what was read, and what we wrote where. The name of the host tells whose they are. */

export const readHostFiles = ({ db }: Context) => ({
  /** SHA-256 of what we last wrote at that path; two of them while the file is being replaced. */
  written: (path: string): Promise<readonly string[]> => writtenAt(db, path),
  /** The batches that wrote a file of that content, or wrote last at that path. */
  writers: (path: string, sha256: string) =>
    db.rows<{ readonly batch: BatchId; readonly sha256: string }>(
      `SELECT batch, sha256 FROM files WHERE kind = 'written' AND batch IS NOT NULL AND (sha256 = ? OR (path = ? AND host = ?))`,
      [sha256, path, hostname()],
    ),
});

async function writtenAt(sql: Sql, path: string): Promise<readonly string[]> {
  const found = await sql.rows<{ sha256: string }>(
    `SELECT sha256 FROM files WHERE kind = 'written' AND path = ? AND host = ?`,
    [path, hostname()],
  );
  return found.map(({ sha256 }) => sha256);
}

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
