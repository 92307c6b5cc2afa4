import type { BootTime } from '../../../core/clock.ts';
import { invariant } from '../../../core/errors.ts';
import { firstSeen, type KeptTime, type Ledger, type TimeMark } from '../../ledger.ts';
import { oneCell, onlyOne, type Sql } from './connection.ts';
import { present, type Session } from './session.ts';

/** What time it is believed to be, by all hosts. Each opened ledger has a row of its own for the boot in which it works. */

/** Of two that wait for the database the earlier is kept first: the other way round it would take back what was heard later. */
function oneByOne(): (keep: () => Promise<void>) => Promise<void> {
  let kept: Promise<unknown> = Promise.resolve();
  return (keep) => {
    const own = kept.then(keep);
    kept = own.catch(() => {});
    return own;
  };
}

export const time = (session: Session) => {
  const { database } = session;
  let boot: string | undefined;
  const inTurn = oneByOne();

  function inBoot(): number {
    invariant(session.boot !== undefined, 'a time is kept of a boot');
    return session.boot;
  }

  return {
    confirmedTime: () => oneCell<number>(database, 'SELECT max(confirmed_at) FROM boots'),
    keptTime: (at, atMs) => keptTime(database, at, atMs),
    async atBoot(at, atMs) {
      const kept = await keptTime(database, at, atMs);
      session.floorMs = kept.floorMs;
      if (boot !== at.id) {
        const { seen } = kept;
        session.boot = await oneCell<number>(database, BEGIN, [at.id, seen.atMs, seen.uptimeMs]);
        boot = at.id;
      }
      return kept;
    },
    async keepSeenTime({ atMs, uptimeMs }) {
      const sql = 'UPDATE boots SET seen_at = $2, seen_uptime = $3 WHERE id = $1';
      await database.rows(sql, [inBoot(), atMs, uptimeMs]);
    },
    async keepConfirmedTime({ atMs, uptimeMs }, accountIdentity) {
      const values = [inBoot(), atMs, uptimeMs, accountIdentity];
      // What was asked for before is dated by what was known then.
      const before = session.written();
      await inTurn(async () => {
        await before;
        const found = await database.write(async (sql) => {
          await onlyOne(sql, 'deciding');
          return sql.row(CONFIRM, values);
        });
        invariant(
          found !== undefined,
          'a confirmed time never goes back, and no sandbox tells it where money is spent',
        );
        session.floorMs = Math.max(atMs, session.floorMs ?? atMs);
      });
    },
    async refuteTimes(afterMs) {
      const values = [inBoot(), Math.max(afterMs, Number.MIN_SAFE_INTEGER)];
      await inTurn(async () => {
        await database.rows(REFUTE, values);
        session.floorMs = undefined;
      });
    },
  } satisfies Partial<Ledger>;
};

/** What was confirmed in the boot is taken over from whoever knew it. */
const BEGIN = `
INSERT INTO boots (boot, seen_at, seen_uptime, confirmed_at, confirmed_uptime, told_by)
  SELECT $1, $2, $3, k.confirmed_at, k.confirmed_uptime, k.told_by
    FROM (SELECT) one LEFT JOIN (
      SELECT * FROM boots WHERE boot = $1 AND confirmed_at IS NOT NULL ORDER BY confirmed_at - confirmed_uptime DESC LIMIT 1) k ON true
  RETURNING id`;

/** A sandbox has the calendar of its machine. */
const CONFIRM = `
UPDATE boots SET confirmed_at = $2, confirmed_uptime = $3, told_by = $4
 WHERE id = $1 AND (confirmed_at IS NULL OR (confirmed_at <= $2 AND confirmed_at - confirmed_uptime <= $2::bigint - $3::bigint))
   AND (EXISTS (SELECT FROM batches WHERE account = $4 AND NOT sandbox) OR NOT EXISTS (SELECT FROM batches WHERE NOT sandbox))
 RETURNING id`;

const REFUTE = `
UPDATE boots SET refuted_at = greatest(refuted_at, confirmed_at), confirmed_at = NULL, confirmed_uptime = NULL, told_by = NULL
 WHERE confirmed_at IS NOT NULL AND (confirmed_at > $2 OR boot = (SELECT boot FROM boots WHERE id = $1))`;

interface Known {
  readonly seen: TimeMark | null;
  readonly confirmed: TimeMark | null;
  readonly floorMs: number | null;
  readonly isPlay: boolean;
  readonly dated: TimeMark | null;
}

/** An intent of before the first batch that costs money was one of a sandbox, which tells no time where money is spent. */
const KNOWN = `
SELECT (SELECT json_build_object('atMs', seen_at, 'uptimeMs', seen_uptime)
          FROM boots WHERE boot = $1 ORDER BY id DESC LIMIT 1) AS seen,
       (SELECT json_build_object('atMs', confirmed_at, 'uptimeMs', confirmed_uptime)
          FROM boots WHERE boot = $1 AND confirmed_at IS NOT NULL ORDER BY confirmed_at - confirmed_uptime DESC LIMIT 1) AS confirmed,
       (SELECT max(confirmed_at) FROM boots) AS "floorMs",
       NOT EXISTS (SELECT FROM batches WHERE NOT sandbox) AS "isPlay",
       (SELECT json_build_object('atMs', a.at, 'uptimeMs', a.uptime)
          FROM entries a JOIN boots b ON b.id = a.boot AND b.boot = $1 JOIN batches m ON m.id = a.batch
         WHERE a.id = a.of AND a.of = (SELECT max(of) FROM entries) AND a.uptime IS NOT NULL
           AND m.ordinal >= (SELECT min(ordinal) FROM batches WHERE NOT sandbox)) AS dated`;

async function keptTime(sql: Sql, boot: BootTime, atMs: number): Promise<KeptTime> {
  const known = await sql.row<Known>(KNOWN, [boot.id]);
  const { floorMs, isPlay = true, seen, confirmed, dated } = present<Partial<Known>>(known ?? {});
  return {
    seen: seen ?? firstSeen(boot, atMs, floorMs),
    isPlay,
    ...present({ confirmed, floorMs, dated: seen === undefined ? undefined : dated }),
  } as KeptTime;
}
