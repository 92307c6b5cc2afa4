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

