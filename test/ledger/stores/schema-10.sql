-- table estimates
CREATE TABLE estimates (
  batch INTEGER PRIMARY KEY REFERENCES batches (id)
) STRICT;

-- trigger estimates_no_delete
CREATE TRIGGER estimates_no_delete BEFORE DELETE ON estimates BEGIN
  SELECT RAISE(ABORT, 'money rule: estimates are only ever added to');
END;

-- trigger estimates_no_update
CREATE TRIGGER estimates_no_update BEFORE UPDATE ON estimates BEGIN
  SELECT RAISE(ABORT, 'money rule: estimates are only ever added to');
END;

