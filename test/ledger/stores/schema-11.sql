-- trigger erased_needed
CREATE TRIGGER erased_needed BEFORE INSERT ON erased WHEN NEW.what = 'call' BEGIN
  SELECT RAISE(ABORT, 'money rule: what an open batch goes on with is not erased for its age')
    FROM erasures e JOIN calls c ON c.id = NEW.id JOIN asked q ON q.call = c.id
    JOIN batches b ON b.state = 'open' AND b.account = c.account AND b.operation = q.operation
   WHERE e.id = NEW.erasure AND e.kind = 'age';
END;

-- trigger erased_settled
CREATE TRIGGER erased_settled BEFORE INSERT ON erased BEGIN
  SELECT RAISE(ABORT, 'money rule: what may have been charged is erased only after it is settled')
    FROM attempts a JOIN calls c ON c.id = a.call
   WHERE ((NEW.what = 'call' AND ((a.id = NEW.id AND a.call = NEW.id) OR (a.call = NEW.id AND a.call <> a.id))) OR (NEW.what = 'attempt' AND a.id = NEW.id))
     AND (a.open = 1 OR (c.doubt IS NOT NULL AND NOT (
       NEW.what = 'attempt' AND EXISTS (SELECT 1 FROM decisions d WHERE d.doubt = c.doubt AND d.kind = 'skip'))));
  SELECT RAISE(ABORT, 'money rule: an erasure that has ended covers nothing more')
    FROM erasures WHERE id = NEW.erasure AND scrubbed = 1;
END;

-- trigger erasures_kept
CREATE TRIGGER erasures_kept BEFORE UPDATE ON erasures
WHEN (NEW.id, NEW.kind, NEW.at, NEW.key_check) IS NOT (OLD.id, OLD.kind, OLD.at, OLD.key_check)
  OR ((NEW.files, NEW.checksum) IS NOT (OLD.files, OLD.checksum) AND NOT (NEW.files = '[]' AND NEW.scrubbed = 1))
  OR NEW.scrubbed < OLD.scrubbed BEGIN
  SELECT RAISE(ABORT, 'money rule: erasures are only ever added to');
END;

