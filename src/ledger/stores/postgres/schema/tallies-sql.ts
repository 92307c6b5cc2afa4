/** Counts what these entries say, beside what was counted before. @param written the entries, in SQL. */
export const tallied = (written: string): string => `
  INSERT INTO tallies AS t (batch, operation, writer, account, requests, calls, answers, found, others, other_sent, other_ended)
    SELECT a.batch, c.operation, pg_backend_pid(), c.account, sum(e.request), sum(e.call), sum(e.answer), sum(e.found), sum(e.other),
           max(e.of * e.other), max(e.id * e.other)
      FROM (
        SELECT id, of, (kind IN ('answered', 'lost', 'lost_beside', 'unsold') AND said IS DISTINCT FROM 'not_sent')::int AS request,
               (kind IN ('answered', 'told', 'read'))::int - (kind = 'retracted')::int AS call,
               (kind = 'answered')::int - (kind = 'retracted')::int AS answer,
               (kind = 'answered' AND said = 'found')::int AS found, (kind = 'answered' AND status <> 404)::int AS other
          FROM ${written} WHERE kind IN ('answered', 'lost', 'lost_beside', 'unsold', 'told', 'read', 'retracted')) e
      CROSS JOIN LATERAL (SELECT batch, call FROM entries WHERE of = e.of AND id = e.of LIMIT 1) a
      CROSS JOIN LATERAL (SELECT operation, account FROM calls WHERE id = a.call LIMIT 1) c
     GROUP BY a.batch, c.operation, c.account
    ON CONFLICT (batch, operation, writer) DO UPDATE
      SET requests = t.requests + excluded.requests, calls = t.calls + excluded.calls, answers = t.answers + excluded.answers,
          found = t.found + excluded.found, others = t.others + excluded.others,
          other_sent = greatest(t.other_sent, excluded.other_sent), other_ended = greatest(t.other_ended, excluded.other_ended)`;

/** Counts over many calls, which would take long to make anew. */
export const TALLIES = `
-- What a batch asked: \`requests\` that left, \`calls\` that were answered, \`answers\` of the vendor, those that \`found\` something, and
-- the \`others\` than a 404, with the newest attempt and the newest end of such a one. Each connection adds to a row of its own, so that
-- nobody waits for another; the sum of them counts.
CREATE TABLE IF NOT EXISTS tallies (
  batch text NOT NULL,
  operation text NOT NULL,
  writer integer NOT NULL,
  account text NOT NULL,
  requests bigint NOT NULL,
  calls bigint NOT NULL,
  answers bigint NOT NULL,
  found bigint NOT NULL,
  others bigint NOT NULL,
  other_sent bigint NOT NULL,
  other_ended bigint NOT NULL,
  PRIMARY KEY (batch, operation, writer)
) WITH (fillfactor = 50);
CREATE INDEX IF NOT EXISTS tallies_account ON tallies (account);
CREATE INDEX IF NOT EXISTS entries_misses ON entries (id) WHERE kind = 'answered' AND status = 404;

CREATE OR REPLACE FUNCTION tally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  ${tallied('written')};
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER entries_tallied AFTER INSERT ON entries REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION tally();
`;
