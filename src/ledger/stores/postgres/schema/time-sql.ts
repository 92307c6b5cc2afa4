/** When attempts were made. An intent gets the date that answers have confirmed, because the budget of that day pays for it. */
export const TIME = `
-- A start of a machine as one process has known it: what the calendar said when the boot was first seen, and the last time that
-- an answer's Date confirmed, each with the uptime of that moment, and the account that it came from. A process writes its own row
-- alone, but to refute. \`refuted_at\` is the latest time that was confirmed and that later answers contradicted.
CREATE TABLE IF NOT EXISTS boots (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  boot text NOT NULL,
  seen_at bigint NOT NULL,
  seen_uptime bigint NOT NULL,
  confirmed_at bigint,
  confirmed_uptime bigint CHECK ((confirmed_uptime IS NULL) = (confirmed_at IS NULL)),
  told_by text CHECK ((told_by IS NULL) = (confirmed_at IS NULL)),
  refuted_at bigint
);
CREATE INDEX IF NOT EXISTS boots_boot ON boots (boot);

-- How sure it is how long ago a moment of a boot was. A time that was refuted later may have been true after all.
CREATE OR REPLACE VIEW moments (id, boot, is_confirmed) AS
  SELECT b.id, b.boot, EXISTS (SELECT FROM boots o WHERE o.boot = b.boot AND o.confirmed_at IS NOT NULL)
      AND NOT EXISTS (SELECT FROM boots l WHERE l.id >= b.id AND l.refuted_at IS NOT NULL)
    FROM boots b;
`;
