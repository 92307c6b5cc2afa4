/** The rows of lists, for processes that do not have the files. */
export const LISTED = `
-- \`cells\` are those of the mapped columns by input, or a text that says why the row cannot be read. A row with a final outcome has none.
CREATE TABLE IF NOT EXISTS listed (
  batch text NOT NULL REFERENCES batches,
  row bigint NOT NULL,
  input bigint NOT NULL,
  cells json NOT NULL,
  PRIMARY KEY (batch, row)
);

-- Only where all rows of the batch are kept.
CREATE TABLE IF NOT EXISTS orders (
  batch text PRIMARY KEY REFERENCES batches,
  job json NOT NULL,
  dialect json NOT NULL,
  range_rows bigint NOT NULL CHECK (range_rows > 0)
);
`;
