export const CONSENTS = `
CREATE TABLE IF NOT EXISTS agreements (
  sha256 text PRIMARY KEY CHECK (length(sha256) = 64),
  shown json NOT NULL,
  agreed_at bigint NOT NULL
);
`;
