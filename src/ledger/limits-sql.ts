/** Windows up to this length are spread; a day's quota may be used up at once. What was sent of one counts in steps of a hundredth of it. */
export const LONGEST_SPREAD_MS = 60_000;

/**
 * Takes places in the line of an account; its tables stand in `schema.ts`. It is PL/pgSQL, because each statement has to see what those
 * have committed for whose line it waited.
 */
export const TAKE_PLACES = `
CREATE OR REPLACE FUNCTION take_places(whose BIGINT, wanted BIGINT, said TEXT, step BIGINT, ahead BIGINT, latest BIGINT, told JSON)
RETURNS TABLE (place BIGINT, places BIGINT, due_us BIGINT, now_us BIGINT, other TEXT) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  line lines;
  due BIGINT;
  n BIGINT := least(wanted, 1 + ahead / step);
  free BIGINT;
  most BIGINT := 0;
  longest BIGINT := 0;
  w RECORD;
BEGIN
  INSERT INTO lines (account, windows) VALUES (whose, said) ON CONFLICT DO NOTHING;
  SELECT * INTO line FROM lines WHERE account = whose FOR UPDATE;
  now_us := extract(epoch FROM clock_timestamp()) * 1000000;
  places := 0;
  IF line.windows <> said AND line.due_us > now_us - 5000000 THEN
    other := line.windows;
    RETURN NEXT; RETURN;
  END IF;
  UPDATE places p SET late_us = t.late, sent = t.sent FROM json_to_recordset(told) AS t(place BIGINT, late BIGINT, sent BIGINT)
    WHERE p.account = whose AND p.place = t.place;
  DELETE FROM places WHERE account = whose AND due_us > now_us + 120000000;
  due := greatest(CASE WHEN line.due_us > now_us + 120000000 THEN 0 ELSE line.due_us END, now_us,
    (SELECT paused_until * 1000 FROM accounts WHERE id = whose AND paused_until < now_us / 1000 + 86400000));

  FOR w IN SELECT requests, us FROM json_to_recordset(said::json) AS x(requests BIGINT, us BIGINT) LOOP
    IF w.us <= ${LONGEST_SPREAD_MS * 1000} THEN
      most := greatest(most, w.requests);
      longest := greatest(longest, w.us);
      -- The m-th request back is out of the window when the one comes that has w.requests - m of the new ones before it.
      due := greatest(due, (
        SELECT max(b.due_us + (b.places - m + b.newer) * b.step_us + b.late_us + w.us - (w.requests - m) * step)
        FROM (SELECT p.*, sum(p.sent) OVER (ORDER BY p.place DESC) - p.sent AS newer FROM places p
          WHERE p.account = whose AND p.place > line.place - 2 * w.requests - 1000) AS b
        CROSS JOIN LATERAL (VALUES (least(b.newer + b.sent, w.requests)), (greatest(b.newer, w.requests - n) + 1)) AS i(m)
        WHERE b.sent > 0 AND b.newer < w.requests AND b.newer + b.sent > w.requests - n));
    ELSE
      DELETE FROM quota_uses WHERE account = whose AND window_us = w.us AND until_us < now_us - w.us - 1000000;
      SELECT w.requests - coalesce(sum(sent), 0) INTO free FROM (
        SELECT sent FROM quota_uses WHERE account = whose AND window_us = w.us
        UNION ALL SELECT sent FROM places WHERE account = whose AND due_us > now_us - w.us) AS u;
      n := least(n, free);
      IF free <= 0 THEN
        due := greatest(due, now_us + 1000000 + coalesce((SELECT min(until_us) + w.us - now_us FROM quota_uses WHERE account = whose AND window_us = w.us), 0));
      END IF;
    END IF;
  END LOOP;
  IF n > 0 AND due <= now_us + ahead THEN
    INSERT INTO places VALUES (whose, line.place, n, due, step, latest, n);
    UPDATE lines SET windows = said, place = line.place + n, due_us = due + n * step WHERE account = whose;
    places := n;
  END IF;
  WITH gone AS (DELETE FROM places WHERE account = whose AND place < line.place - 2 * most - 1000 AND due_us < now_us - longest - 2000000 RETURNING due_us, sent)
  INSERT INTO quota_uses AS q SELECT whose, x.us, (gone.due_us / (x.us / 100) + 1) * (x.us / 100), sum(gone.sent)
    FROM gone CROSS JOIN json_to_recordset(said::json) AS x(us BIGINT) WHERE x.us > ${LONGEST_SPREAD_MS * 1000} GROUP BY 1, 2, 3
    ON CONFLICT (account, window_us, until_us) DO UPDATE SET sent = q.sent + excluded.sent;
  place := line.place;
  due_us := due;
  RETURN NEXT;
END $$;`;
