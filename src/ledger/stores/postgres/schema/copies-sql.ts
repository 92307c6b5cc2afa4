/** What a ledger is, what it has lost, and where it went. */
export const COPIES = `
-- One row. \`identity\` is a name that no other ledger has. While \`arriving\` it is a copy that is not open to anybody. \`copied_as\`
-- is the name of the ledger that was made of it: it spends no more. \`version\` is the form of these tables. \`lost\` is what it lacks, as somebody noticed: nobody spends from it
-- then. \`formerly\` are the names of those whose loss a person accepted.
CREATE TABLE IF NOT EXISTS ledger (
  place smallint PRIMARY KEY DEFAULT 1 CHECK (place = 1),
  identity text NOT NULL CHECK (length(identity) = 32),
  arriving boolean NOT NULL DEFAULT false,
  lost text,
  formerly text[] NOT NULL DEFAULT '{}',
  version bigint NOT NULL DEFAULT 1,
  copied_as text,
  copied_to text,
  copied_at bigint CHECK ((copied_at IS NULL) = (copied_as IS NULL) AND (copied_at IS NULL) = (copied_to IS NULL))
);
INSERT INTO ledger (identity) VALUES (replace(gen_random_uuid()::text, '-', '')) ON CONFLICT DO NOTHING;
`;
