/** Who worked on a batch or ordered an erasure, by their own word. No decision about money depends on it. */
export const ACTS = `
-- \`after\` is the newest number that an entry had before.
CREATE TABLE IF NOT EXISTS acts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  batch text REFERENCES batches CHECK ((batch IS NULL) = (kind = 'erased')),
  erasure bigint REFERENCES erasures CHECK ((erasure IS NULL) = (kind <> 'erased')),
  after bigint NOT NULL,
  at bigint NOT NULL,
  operator text NOT NULL
);
CREATE INDEX IF NOT EXISTS acts_batch ON acts (batch, id);
`;
