export const ROWS = `
-- \`answers\` are attempts. \`input\` is 48 bits over the cells that the row was finished from. \`read_to\` is the newest entry of
-- kind \`reading\` or \`read\` of them when the row was finished. \`reason\` is JSON, because a text cannot hold a zero byte.
CREATE TABLE IF NOT EXISTS rows (
  batch text NOT NULL,
  row bigint NOT NULL,
  outcome text NOT NULL
    CHECK (outcome IN ('matched', 'no_match', 'applied', 'unchanged', 'invalid', 'refused', 'in_doubt', 'skipped')),
  matched_by text CHECK ((outcome = 'matched') = (matched_by IS NOT NULL)),
  reason json,
  answers bigint[] NOT NULL,
  input bigint,
  read_to bigint,
  PRIMARY KEY (batch, row) INCLUDE (outcome, input)
);
CREATE INDEX IF NOT EXISTS rows_in_doubt ON rows (batch, row) WHERE outcome = 'in_doubt';

-- Makes rows pending again whose answer was taken back. It does so as the owner, because whoever works here may delete no row.
CREATE OR REPLACE FUNCTION reopen_rows(whose text, retracted bigint[]) RETURNS SETOF text
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM rows r USING batches b WHERE b.account = whose AND r.batch = b.id AND r.answers && ARRAY(
      SELECT of FROM entries WHERE of = ANY (retracted) AND kind = 'retracted')
    RETURNING r.batch $$;

-- Rows of an attempt's batch that used its answer, and come before the row that asked first: the lowest counts as having paid.
CREATE TABLE IF NOT EXISTS payers (
  attempt bigint NOT NULL,
  row bigint NOT NULL,
  PRIMARY KEY (attempt, row)
);

-- What was taken for an answer and is none by its newest reading.
CREATE OR REPLACE VIEW unanswered (attempt) AS
  SELECT e.of FROM entries e
   WHERE e.kind IN ('reading', 'read') AND e.said NOT IN ('found', 'no_match', 'refused')
     AND NOT EXISTS (SELECT FROM entries n WHERE n.of = e.of AND n.id > e.id AND n.kind = 'reading');

-- Which kind an answer is by its newest reading, when it was given, and by whom it was bought. What was told counts as found.
CREATE OR REPLACE VIEW answer_ages (attempt, call, batch, found, answered_at) AS
  SELECT a.id, a.call, a.batch, k.kind = 'told' OR coalesce(
           (SELECT e.said FROM entries e WHERE e.of = a.id AND e.kind IN ('reading', 'read') ORDER BY e.id DESC LIMIT 1), k.said)
           = 'found',
         CASE WHEN k.kind = 'told' THEN (k.facts ->> 'received_at')::bigint
           ELSE (SELECT r.at FROM entries r WHERE r.of = a.id AND r.kind IN ('reply', 'late')) END
    FROM entries a JOIN entries k ON k.of = a.id AND k.kind IN ('answered', 'told', 'read') WHERE a.id = a.of;
`;
