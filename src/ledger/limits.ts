import { oneRow } from './context.ts';
import type { Db } from './db.ts';

/**
 * The line in which the workers of an account stand: PostgreSQL's own, because from a folder one process
 * spends. `client/limits/line.ts` says when a place is due.
 */

/** So many requests in any stretch of that length. */
export interface SharedWindow {
  readonly requests: number;
  readonly windowMs: number;
}

/** What a worker asks the line for, and tells it. */
export interface PlaceRequest {
  readonly wanted: number;
  readonly windows: readonly SharedWindow[];
  readonly stepUs: number;
  /** How far ahead places are taken. */
  readonly aheadMs: number;
  /** How late a request may come of which nobody tells. */
  readonly latestMs: number;
  /** `atUs`: when its request was at the vendor at the latest; null: it was not used. */
  readonly used: readonly { readonly place: number; readonly atUs: number | null }[];
}

/** `places` in a row from `place` on; the first is due at `due_us`, each next one a step later. */
export type TakenPlaces = Readonly<Record<'place' | 'places' | 'due_us' | 'now_us', number>>;

export type TakePlaces = (request: PlaceRequest) => Promise<TakenPlaces>;

const TAKE = 'SELECT * FROM take_places(?, ?, ?, ?, ?, ?, CAST(? AS JSON))';

/** @param account its number. */
export const placesIn =
  (db: Pick<Db, 'rows'>, account: number): TakePlaces =>
  ({ wanted, windows, stepUs, aheadMs, latestMs, used }) =>
    oneRow<TakenPlaces>(db, TAKE, [
      ...[account, wanted, JSON.stringify(windows.map(inUs)), stepUs, aheadMs * 1000],
      ...[Math.ceil(latestMs * 1000), JSON.stringify(used.map(({ place, atUs: at }) => ({ place, at })))],
    ]);

const inUs = ({ requests, windowMs }: SharedWindow) => ({ requests, us: windowMs * 1000 });

/**
 * Takes places in the line of an account; its tables stand in `schema.ts`. It is PL/pgSQL, because each
 * statement has to see what those have committed for whose line it waited.
 */
export const TAKE_PLACES = `
CREATE OR REPLACE FUNCTION take_places(
  whose BIGINT, wanted BIGINT, windows JSON, step BIGINT, ahead BIGINT, latest BIGINT, used JSON)
RETURNS TABLE (place BIGINT, places BIGINT, due_us BIGINT, now_us BIGINT) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  line lines;
  n BIGINT;
  longest BIGINT;
BEGIN
  INSERT INTO lines (account) VALUES (whose) ON CONFLICT DO NOTHING;
  SELECT * INTO line FROM lines WHERE account = whose FOR UPDATE;
  now_us := extract(epoch FROM clock_timestamp()) * 1000000;
  UPDATE places p SET at_us = t.at FROM json_to_recordset(used) AS t(place BIGINT, at BIGINT)
    WHERE p.account = whose AND p.place = t.place AND t.at IS NOT NULL;
  DELETE FROM places p USING json_to_recordset(used) AS t(place BIGINT, at BIGINT)
    WHERE p.account = whose AND p.place = t.place AND t.at IS NULL;

  SELECT least(wanted, 1 + ahead / step, min(requests)), max(us) INTO n, longest
    FROM json_to_recordset(windows) AS w(requests BIGINT, us BIGINT);
  LOOP
    due_us := greatest(CASE WHEN line.due_us > now_us + 120000000 THEN 0 ELSE line.due_us END, now_us,
      (SELECT paused_until * 1000 FROM accounts WHERE id = whose AND paused_until < now_us / 1000 + 86400000),
      -- Each is out of the window when the one comes that is w.requests behind it, or sooner: an earlier one
      -- may have come later.
      (SELECT max(p.at_us + w.us - greatest(w.requests - p.rank, 0) * step)
        FROM json_to_recordset(windows) AS w(requests BIGINT, us BIGINT)
        CROSS JOIN LATERAL (SELECT count(*) AS newer FROM places
          WHERE account = whose AND place >= line.place - w.requests + n) AS c
        CROSS JOIN LATERAL (SELECT at_us, c.newer + row_number() OVER (ORDER BY place DESC) AS rank
          FROM places WHERE account = whose AND place < line.place - w.requests + n
          ORDER BY place DESC LIMIT w.requests + 1000) AS p
        WHERE p.rank > w.requests - n AND p.at_us < now_us + 120000000));
    EXIT WHEN n <= 1 OR due_us <= now_us + ahead;
    n := n / 2;
  END LOOP;
  place := line.place;
  places := CASE WHEN due_us <= now_us + ahead THEN n ELSE 0 END;
  INSERT INTO places SELECT whose, line.place + i, due_us + i * step + latest
    FROM generate_series(0, places - 1) AS i;
  UPDATE lines SET place = line.place + places, due_us = take_places.due_us + places * step
    WHERE account = whose AND places > 0;
  IF line.place / 100 <> (line.place + places) / 100 THEN
    DELETE FROM places WHERE account = whose AND at_us < now_us - longest - 1000000;
  END IF;
  RETURN NEXT;
END $$;`;
