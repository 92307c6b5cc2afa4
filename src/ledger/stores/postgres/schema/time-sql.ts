/** Boots of machines, and what was confirmed of the time in each. */
export const TIME = `
CREATE TABLE boots (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  boot text NOT NULL UNIQUE,
  seen_at bigint NOT NULL,
  seen_uptime bigint NOT NULL,
  confirmed_at bigint,
  confirmed_uptime bigint CHECK ((confirmed_uptime IS NULL) = (confirmed_at IS NULL)),
  is_refuted boolean NOT NULL DEFAULT false
);
`;
