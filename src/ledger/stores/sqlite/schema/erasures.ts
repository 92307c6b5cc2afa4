import { isOfCall } from '../lookups.ts';
import { onlyAddedTo, refusedEvent } from './refusals.ts';

/**
 * Erasures, and what each of them covers. The guards of covered rows are in the files of their tables, and allow
 * nothing but emptied content (`refusals.ts`). Amounts, times, kinds and numbers stay for ever.
 */
export const ERASURES = [
  `
-- \`key_check\` tells whether the key beside the ledger is the one under which calls were hidden. \`files\` are to be removed,
-- as a JSON list of paths. \`scrubbed\` is 1 once files, free pages and log hold nothing of it any more.
CREATE TABLE erasures (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('person', 'age')),
  at INTEGER NOT NULL,
  key_check TEXT CHECK ((key_check IS NULL) = (kind = 'age')),
  files TEXT NOT NULL CHECK (json_type(files) = 'array'),
  checksum INTEGER NOT NULL,
  scrubbed INTEGER NOT NULL DEFAULT 0 CHECK (scrubbed IN (0, 1))
) STRICT;

-- What an erasure covers: a call with all that is known of it, what was said about one attempt, a row of the batch \`id\`,
-- or whom changes altered.
CREATE TABLE erased (
  what TEXT NOT NULL CHECK (what IN ('call', 'attempt', 'row', 'subject')),
  id INTEGER NOT NULL,
  row INTEGER NOT NULL,
  erasure INTEGER NOT NULL REFERENCES erasures (id),
  PRIMARY KEY (what, id, row, erasure)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER erased_settled BEFORE INSERT ON erased BEGIN
  SELECT RAISE(ABORT, 'money rule: what may have been charged is erased only after it is settled')
    FROM attempts a
   WHERE ((NEW.what = 'call' AND ${isOfCall('a.id', 'a.call', 'NEW.id')}) OR (NEW.what = 'attempt' AND a.id = NEW.id))
     AND (a.open = 1 OR EXISTS (SELECT 1 FROM held_attempts h WHERE h.attempt = a.id)
       OR EXISTS (SELECT 1 FROM calls c WHERE c.id = a.call AND c.doubt IS NOT NULL));
  SELECT RAISE(ABORT, 'money rule: an erasure that has ended covers nothing more')
    FROM erasures WHERE id = NEW.erasure AND scrubbed = 1;
END;

CREATE TRIGGER erasures_kept BEFORE UPDATE ON erasures
WHEN (NEW.id, NEW.kind, NEW.at, NEW.key_check, NEW.files, NEW.checksum)
  IS NOT (OLD.id, OLD.kind, OLD.at, OLD.key_check, OLD.files, OLD.checksum) OR NEW.scrubbed < OLD.scrubbed BEGIN
  SELECT RAISE(ABORT, 'money rule: erasures are only ever added to');
END;
`,
  refusedEvent('DELETE', 'erasures'),
  onlyAddedTo('erased'),
].join('');
