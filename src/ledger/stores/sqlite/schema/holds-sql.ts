/** When a person paused a batch and let it go on again. The newest entry of a batch says which. */
export const HOLDS = `
CREATE TABLE holds (
  id INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL REFERENCES batches (id),
  held INTEGER NOT NULL CHECK (held IN (0, 1)),
  at INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
CREATE INDEX holds_batch ON holds (batch, id);
`;
