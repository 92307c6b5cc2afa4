/** The rows of batches, and how each was finished. */
export const ROWS = `
-- The lowest row of an attempt's batch that used its answer counts as having paid for it. It stands here where it is another than
-- the row that asked first.
CREATE TABLE payers (
  attempt bigint PRIMARY KEY,
  row bigint NOT NULL
);

-- \`answers\` are attempts. \`read_to\` is the newest entry of kind \`reading\` or \`read\` of them when the row was finished.
CREATE TABLE rows (
  batch text NOT NULL,
  row bigint NOT NULL,
  outcome text NOT NULL,
  answers bigint[] NOT NULL,
  read_to bigint,
  PRIMARY KEY (batch, row)
);
`;
