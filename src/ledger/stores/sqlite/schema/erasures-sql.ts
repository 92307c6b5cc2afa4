import { isOneOf } from '../lookups.ts';
import { ERASURES_TABLE } from '../tables.ts';

/** Erasures, and what each of them covers. The guards of covered rows allow nothing but emptied content (`kept.ts`). */
export const ERASURES = `
-- \`key_check\` tells whether the key beside the ledger is the one under which calls were hidden. \`files\` are to be removed,
-- as a JSON list of paths. \`scrubbed\` is 1 once files, free pages and log hold nothing of it any more.
${ERASURES_TABLE.definition}

-- What an erasure covers: a call with all that is known of it, what was said about one attempt, a row of the batch \`id\`,
-- or whom changes altered.
CREATE TABLE erased (
  what TEXT NOT NULL CHECK ${isOneOf('what', ['call', 'attempt', 'row', 'subject'])},
  id INTEGER NOT NULL,
  row INTEGER NOT NULL,
  erasure INTEGER NOT NULL REFERENCES erasures (id),
  PRIMARY KEY (what, id, row, erasure)
) STRICT, WITHOUT ROWID;

-- A lost attempt of a call that has its answer by now can be settled by nobody, and keeps what it holds.
CREATE TRIGGER erased_settled BEFORE INSERT ON erased BEGIN
  SELECT RAISE(ABORT, 'money rule: what may have been charged is erased only after it is settled')
    FROM calls c
   WHERE ((NEW.what = 'call' AND c.id = NEW.id)
       OR (NEW.what = 'attempt' AND c.id = (SELECT a.call FROM attempts a WHERE a.id = NEW.id)))
     AND (c.open IS NOT NULL AND (NEW.what = 'call' OR c.open = NEW.id) OR (c.state = 'doubt' AND NOT (
       NEW.what = 'attempt' AND EXISTS (
         SELECT 1 FROM notes d WHERE d.of = c.stands AND d.kind = 'decided' AND d.said = 'skip'))));
END;

CREATE TRIGGER erased_ended BEFORE INSERT ON erased BEGIN
  SELECT RAISE(ABORT, 'money rule: an erasure that has ended covers nothing more')
    FROM erasures WHERE id = NEW.erasure AND scrubbed = 1;
END;

CREATE TRIGGER erased_needed BEFORE INSERT ON erased WHEN NEW.what = 'call' BEGIN
  SELECT RAISE(ABORT, 'money rule: what an open batch goes on with is not erased for its age')
    FROM erasures e JOIN calls c ON c.id = NEW.id
    JOIN batches b ON b.state = 'open' AND b.account = c.account AND b.operation = c.operation
   WHERE e.id = NEW.erasure AND e.kind = 'age';
END;
`;
