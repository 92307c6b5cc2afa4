import { BOOTS_TABLE } from '../tables.ts';
/**
 * When attempts were made. An intent gets the date that answers have confirmed, because the budget of that day pays for
 * it. An attempt without a boot has only the calendar's date.
 */
export const TIME = `
-- Each start of the machine, and two times of the calendar in it, each with the uptime of that moment: what the calendar
-- said when the boot was first seen, and the last time that an answer's Date confirmed, with the account that it came from.
-- \`refuted_at\` is the latest time that was confirmed in the boot and that later answers contradicted.
${BOOTS_TABLE.definition}
CREATE INDEX boots_confirmed ON boots (confirmed_at);

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
`;
