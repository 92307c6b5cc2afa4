import { hostname } from 'node:os';
import type { Position } from '../../../core/format.ts';
import type { Ledger } from '../../ledger.ts';
import { oneColumn } from './connection.ts';
import type { Session } from './session.ts';

/**
 * The pieces of lists, and what was written where. They stand in the database, by the name of the host where they are true of
 * it alone: a host whose disk does not last finds them again, and its files are its own where it has the same name.
 */

const START = `row, byte_offset AS "byteOffset", lines`;

export const hostNotes = ({ database }: Session) =>
  ({
    async piecesOf(batch, reading) {
      const sql = `SELECT ${START}, encode(digest, 'hex') AS digest FROM pieces WHERE batch = $1 AND reading = $2 ORDER BY row`;
      const found = await database.rows<Position & { digest: string }>(sql, [batch, reading]);
      return found.map(({ digest, ...start }) => ({ start, digest }));
    },
    positionBefore: (batch, row) =>
      database.row<Position>(
        `SELECT ${START} FROM pieces WHERE batch = $1 AND row <= $2 ORDER BY row DESC LIMIT 1`,
        [batch, row],
      ),
    async keepPieces(batch, { reading, pieces = [] }) {
      const starts = pieces.map(({ start }) => start);
      await database.rows(KEEP, [
        ...[batch, reading, starts.map(({ row }) => row), starts.map(({ byteOffset }) => byteOffset)],
        ...[starts.map(({ lines }) => lines), pieces.map(({ digest }) => digest)],
      ]);
    },
    written: (path) =>
      oneColumn(database, 'SELECT sha256 FROM files WHERE host = $1 AND path = $2', [hostname(), path]),
    async noteWritten(path, sha256s, batch) {
      await database.write(async (sql) => {
        const stale = 'DELETE FROM files WHERE host = $1 AND path = $2 AND sha256 <> ALL ($3)';
        await sql.rows(stale, [hostname(), path, sha256s]);
        await sql.rows(WRITTEN, [hostname(), path, sha256s, batch]);
      });
    },
  }) satisfies Partial<Ledger>;

const KEEP = `
INSERT INTO pieces (batch, reading, row, byte_offset, lines, digest)
  SELECT $1, $2, row, byte_offset, lines, decode(digest, 'hex')
    FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::text[]) u (row, byte_offset, lines, digest) ORDER BY row
  ON CONFLICT DO NOTHING`;

const WRITTEN = `
INSERT INTO files (host, path, sha256, batch) SELECT $1, $2, unnest($3::text[]), $4 ON CONFLICT DO NOTHING`;
