import { hasKey } from '../lookups.ts';
import { CALLS_TABLE } from '../tables.ts';

/** That a key stands for one call. The index has a part of the key alone: keys are random, so few share it. */
function oneKey(event: 'INSERT' | 'UPDATE OF key'): string {
  return `
CREATE TRIGGER calls_one_key_${event.slice(0, 6).toLowerCase()} BEFORE ${event} ON calls BEGIN
  SELECT RAISE(ABORT, 'money rule: a key stands for one call')
    FROM calls c WHERE ${hasKey('c', 'NEW.key')} AND c.id IS NOT NEW.id;
END;
`;
}

export const CALLS = [
  `
-- A call has the number of its first attempt, and begins with that under way. \`parameters\` are what is asked, and \`terms\` what else the call
-- says, as JSON: nothing where it is held back when it is lost, as most are. A change has the \`subject\` that it alters, and in
-- \`after\` the sequence of the subject at which it may be sent.
-- \`state\` and \`stands\`: what stands and which attempt led to it; \`open\`: the attempt that is under way; \`head\`: the newest
-- entry.
${CALLS_TABLE.definition}
CREATE INDEX calls_key ON calls (substr(key, 1, 4));
CREATE INDEX calls_doubt ON calls (stands) WHERE state = 'doubt';
CREATE INDEX calls_open ON calls (open) WHERE open IS NOT NULL;
CREATE INDEX calls_subject ON calls (subject) WHERE subject IS NOT NULL;
`,
  oneKey('INSERT'),
  oneKey('UPDATE OF key'),
  `
CREATE TRIGGER calls_beginning BEFORE INSERT ON calls BEGIN
  SELECT RAISE(ABORT, 'money rule: a call begins with its first entry, and nothing stands before that')
   WHERE NEW.state <> 'free' OR NEW.open IS NOT NEW.id OR NEW.head IS NOT NEW.id OR NEW.id <= (SELECT booked FROM book);
  UPDATE book SET unbooked = NEW.id WHERE id = 1 AND unbooked IS NULL;
END;

CREATE TRIGGER calls_moved BEFORE UPDATE OF state_number, stands, open, head ON calls BEGIN
  SELECT RAISE(ABORT, 'money rule: only the entry that was just written moves its call')
    FROM book b
   WHERE NEW.head IS NULL OR NEW.head <= b.booked OR NEW.head <= OLD.head OR NEW.id IS NOT CASE
     WHEN NEW.open IS OLD.open THEN (SELECT call FROM notes WHERE id = NEW.head)
     WHEN OLD.open IS NULL THEN (SELECT call FROM attempts WHERE id = NEW.head)
     ELSE (SELECT call FROM ends WHERE of = OLD.open AND id = NEW.head) END;
END;
`,
].join('');
