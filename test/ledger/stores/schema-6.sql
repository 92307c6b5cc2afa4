-- table holds
CREATE TABLE holds (
  id INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL REFERENCES batches (id),
  held INTEGER NOT NULL CHECK (held IN (0, 1)),
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

-- index holds_batch
CREATE INDEX holds_batch ON holds (batch, id);

-- trigger holds_no_delete
CREATE TRIGGER holds_no_delete BEFORE DELETE ON holds BEGIN
  SELECT RAISE(ABORT, 'money rule: holds are only ever added to');
END;

-- trigger holds_no_update
CREATE TRIGGER holds_no_update BEFORE UPDATE ON holds BEGIN
  SELECT RAISE(ABORT, 'money rule: holds are only ever added to');
END;
