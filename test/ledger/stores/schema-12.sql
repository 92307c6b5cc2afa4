-- table files
CREATE TABLE files (
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  batch INTEGER REFERENCES batches (id),
  PRIMARY KEY (path, sha256)
) STRICT, WITHOUT ROWID;

-- table reads
CREATE TABLE reads (
  path TEXT NOT NULL,
  batch INTEGER NOT NULL REFERENCES batches (id),
  is_list INTEGER NOT NULL CHECK (is_list IN (0, 1)),
  PRIMARY KEY (path, batch)
) STRICT, WITHOUT ROWID;

-- trigger attempts_timing
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

-- trigger batches_timing
CREATE TRIGGER batches_timing BEFORE INSERT ON batches WHEN NEW.sandbox = 0 BEGIN
  SELECT RAISE(ABORT, 'money rule: a time that a sandbox told is refuted before money is spent')
   WHERE NOT EXISTS (SELECT 1 FROM batches WHERE sandbox = 0)
     AND EXISTS (SELECT 1 FROM boots WHERE confirmed_at IS NOT NULL);
END;

-- table boots
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

-- trigger boots_confirming
CREATE TRIGGER boots_confirming BEFORE UPDATE OF confirmed_at, confirmed_uptime ON boots
WHEN OLD.confirmed_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a confirmed time never goes back')
   WHERE NEW.confirmed_at < OLD.confirmed_at
      OR NEW.confirmed_at - NEW.confirmed_uptime < OLD.confirmed_at - OLD.confirmed_uptime;
  SELECT RAISE(ABORT, 'money rule: a confirmed time that is not believed any more is kept as refuted')
   WHERE NEW.confirmed_at IS NULL AND (NEW.refuted_at IS NULL OR NEW.refuted_at < OLD.confirmed_at);
END;

-- trigger boots_refuting
CREATE TRIGGER boots_refuting BEFORE UPDATE OF refuted_at ON boots WHEN OLD.refuted_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a refuted time is kept')
   WHERE NEW.refuted_at IS NULL OR NEW.refuted_at < OLD.refuted_at;
END;

-- trigger boots_telling
CREATE TRIGGER boots_telling BEFORE UPDATE OF confirmed_at ON boots WHEN NEW.confirmed_at IS NOT NULL BEGIN
  SELECT RAISE(ABORT, 'money rule: a sandbox tells no time where money is spent')
   WHERE EXISTS (SELECT 1 FROM batches WHERE sandbox = 0)
     AND NOT EXISTS (SELECT 1 FROM batches WHERE account = NEW.told_by AND sandbox = 0);
END;

