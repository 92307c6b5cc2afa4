import { refusedEvent } from './refusals.ts';

/** What schema 12 added. */
export const WITNESSES = `
ALTER TABLE boots ADD COLUMN told_by INTEGER REFERENCES accounts (id);
ALTER TABLE boots ADD COLUMN refuted_at INTEGER;
`;

/**
 * When attempts were made. An intent gets the date that answers have confirmed, because the budget of that day pays for
 * it. An attempt without a boot has only the calendar's date.
 */
export const TIME = [
  `
-- Each start of the machine, and two times of the calendar in it, each with the uptime of that moment: what the calendar
-- said when the boot was first seen, and the last time that an answer's Date confirmed, with the account that it came from.
-- \`refuted_at\` is the latest time that was confirmed in the boot and that later answers contradicted.
CREATE TABLE boots (
  id INTEGER PRIMARY KEY,
  boot TEXT NOT NULL UNIQUE,
  seen_at INTEGER NOT NULL,
  seen_uptime INTEGER NOT NULL,
  confirmed_at INTEGER,
  confirmed_uptime INTEGER CHECK ((confirmed_uptime IS NULL) = (confirmed_at IS NULL)),
  checksum INTEGER NOT NULL,
  told_by INTEGER REFERENCES accounts (id),
  refuted_at INTEGER
) STRICT;
CREATE INDEX boots_confirmed ON boots (confirmed_at);

-- Five minutes are what clocks may differ, and two seconds what a confirmed time may move before it is written.
CREATE TRIGGER attempts_timing BEFORE INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an intent is not dated before what an answer has confirmed')
   WHERE NEW.intent_at < (SELECT max(confirmed_at) FROM boots);
  SELECT RAISE(ABORT, 'money rule: an intent is dated by the confirmed time and the uptime since')
    FROM boots WHERE id = NEW.boot
     AND NEW.intent_at - (confirmed_at + NEW.uptime - confirmed_uptime) NOT BETWEEN 0 AND 302000;
  -- The intent before this one may be of a sandbox, which does not count where money is spent.
  SELECT RAISE(ABORT, 'money rule: a day that was spent is not left for an earlier one before an answer confirms it')
    FROM attempts a JOIN boots b ON b.id = a.boot
   WHERE a.id = (SELECT max(id) FROM attempts WHERE id < NEW.id) AND a.boot = NEW.boot AND b.confirmed_at IS NULL
     AND (SELECT ordinal FROM batches WHERE id = a.batch) >= (SELECT min(ordinal) FROM batches WHERE sandbox = 0)
     AND NEW.intent_at - (a.intent_at + NEW.uptime - a.uptime) < -302000;
END;

CREATE TRIGGER attempts_boot_kept BEFORE UPDATE OF boot, uptime ON attempts BEGIN
  SELECT RAISE(ABORT, 'money rule: an attempt is kept as it was written');
END;

-- Its cut-off would take what was bought yesterday for too old.
CREATE TRIGGER attempts_refresh_timing BEFORE INSERT ON attempts WHEN NEW.replaces IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a batch that began in the future buys nothing anew')
    FROM batches WHERE id = NEW.batch AND created_at - NEW.intent_at > 302000
     AND NOT EXISTS (SELECT 1 FROM unanswered WHERE attempt = NEW.replaces);
END;

CREATE TRIGGER boots_beginning BEFORE INSERT ON boots WHEN NEW.confirmed_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a boot begins without a confirmed time');
END;

CREATE TRIGGER boots_confirming BEFORE UPDATE OF confirmed_at, confirmed_uptime ON boots
WHEN OLD.confirmed_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a confirmed time never goes back')
   WHERE NEW.confirmed_at < OLD.confirmed_at
      OR NEW.confirmed_at - NEW.confirmed_uptime < OLD.confirmed_at - OLD.confirmed_uptime;
  SELECT RAISE(ABORT, 'money rule: a confirmed time that is not believed any more is kept as refuted')
   WHERE NEW.confirmed_at IS NULL AND (NEW.refuted_at IS NULL OR NEW.refuted_at < OLD.confirmed_at);
END;

CREATE TRIGGER boots_refuting BEFORE UPDATE OF refuted_at ON boots WHEN OLD.refuted_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a refuted time is kept')
   WHERE NEW.refuted_at IS NULL OR NEW.refuted_at < OLD.refuted_at;
END;

-- A sandbox has the calendar of this machine.
CREATE TRIGGER boots_telling BEFORE UPDATE OF confirmed_at ON boots WHEN NEW.confirmed_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a sandbox tells no time where money is spent')
   WHERE EXISTS (SELECT 1 FROM batches WHERE sandbox = 0)
     AND NOT EXISTS (SELECT 1 FROM batches WHERE account = NEW.told_by AND sandbox = 0);
END;

CREATE TRIGGER batches_timing BEFORE INSERT ON batches WHEN NEW.sandbox = 0 BEGIN
  SELECT RAISE(ABORT, 'money rule: a time that a sandbox told is refuted before money is spent')
   WHERE NOT EXISTS (SELECT 1 FROM batches WHERE sandbox = 0)
     AND EXISTS (SELECT 1 FROM boots WHERE confirmed_at IS NOT NULL);
END;

CREATE TRIGGER boots_kept BEFORE UPDATE OF id, boot ON boots BEGIN
  SELECT RAISE(ABORT, 'money rule: a boot is kept as it was written');
END;
`,
  refusedEvent('DELETE', 'boots'),
].join('');
