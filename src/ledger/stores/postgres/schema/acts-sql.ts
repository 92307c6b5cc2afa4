/** Who worked on a batch, by their own word. An earlier ledger lacks the table, and gets it when somebody spends from it. */
export const ACTS = `
CREATE TABLE acts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  batch text NOT NULL REFERENCES batches,
  after bigint NOT NULL,
  at bigint NOT NULL,
  operator text NOT NULL
);
CREATE INDEX acts_batch ON acts (batch, id);
`;
