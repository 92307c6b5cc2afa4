import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { addReading, credits, recordLook } from '../../../src/ledger/ledger.ts';
import { ERASURES } from '../../../src/ledger/stores/sqlite/schema/erasures-sql.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import {
  admitted,
  answered,
  batchNamed,
  batchSpec,
  decide,
  lookAt,
  lost,
  MATCHED,
  NOON_MS,
  released,
  replyWith,
  requestUnder,
  settle,
} from './book.ts';
import { changed, changeOf, MEMBER } from './changes.ts';
import { openStore, temporaryFolder } from './places.ts';
import { batchKeyed } from './raw.ts';
import { ELSEWHERE, expectRefusal, type Refusal, tryOut, untested } from './refusals.ts';

/**
 * Goal: an erasure empties content and nothing else, and only what an entry covers, whatever the code does.
 * Method: raw SQL on the file, around the code: what is refused without an entry, what is let through with one, and what
 * is refused with one as well.
 */
const place = temporaryFolder(afterAll);
const ledger = await openStore(sqlite, place);
const plan = [{ row: 2, kind: 'work', work: { email: 'kim@example.org' } }] as const;
const batch = (await ledger.beginBatch(batchSpec({ key: 'key-a', operation: 'enrich-company' }), false, plan))
  .batch.id;
const ANSWERED = await answered(ledger, batch, 'answered', { request: requestUnder('key-1') });
const LOST = await lost(ledger, batch, 'lost');
const TOLD = await lost(ledger, batch, 'told');
await decide(ledger, batch, 'told', 'hold');
await decide(ledger, batch, 'told', 'told', replyWith('somebody knew it'));
const RELEASED = await lost(ledger, batch, 'released');
await released(ledger, RELEASED);
const OPEN = await admitted(ledger, batch, 'open');
await recordLook(ledger, lookAt(LOST, 'unclear'));
await addReading(ledger, {
  ...{
    attempt: ANSWERED,
    answer: 'found',
    charged: credits(1),
    why: 'kim@example.org',
    dialect: 5,
    atMs: NOON_MS,
  },
});
await changed(ledger, await batchNamed(ledger, 'b'), changeOf('invite', 0), { left: MEMBER });
await settle(ledger, batch, 2, { ...MATCHED, reason: 'kim@example.org' }, [ANSWERED]);
await ledger.close();
const database = new Database(join(place, 'ledger.db'));
database.pragma('recursive_triggers = ON');
afterAll(() => void database.close());

const BATCH = batchKeyed('key-a');
const AT = NOON_MS;

const ENTRY = `INSERT INTO erasures (id, kind, at, key_check, files, sum) VALUES (1, 'person', ${AT}, 'x', '[]', 0);`;
const covering = (what: string, id: number | string, row = 0): string =>
  `${ENTRY} INSERT INTO erased (what, id, row, erasure) VALUES ('${what}', ${id}, ${row}, 1);`;

const EMPTY_CALL = `UPDATE calls SET key = randomblob(32), sum = 1,
  parameters = '{}', terms = '{"ifLost":"hold","erasedAtMs":${AT}}' WHERE id = ${ANSWERED}`;
const SKIPPED = '{"kind":"end","outcome":{"kind":"skipped","reason":"erased on 2026-11-20"}}';

/** Empties what a note of that kind about an attempt says. */
const emptyNote = (kind: string, of: number, cells: string): string =>
  `UPDATE notes SET ${cells}, content_sum = 1 WHERE of = ${of} AND kind = '${kind}'`;

/** What an entry lets through, by the guard that refuses it without one. */
const EMPTYING: readonly (readonly [guard: string, entry: string, sql: string])[] = [
  ['calls_unchanged', covering('call', ANSWERED), EMPTY_CALL],
  [
    'replies_no_update',
    covering('call', ANSWERED),
    `UPDATE replies SET headers = '{}', body = x'', content_sum = 1 WHERE of = ${ANSWERED}`,
  ],
  [
    'requests_no_update',
    covering('attempt', ANSWERED),
    `UPDATE requests SET path = 'erased', body = NULL, content_sum = 1 WHERE attempt = ${ANSWERED}`,
  ],
  [
    'ends_no_update',
    covering('attempt', ANSWERED),
    `UPDATE ends SET words = 'erased', content_sum = 1 WHERE of = ${ANSWERED}`,
  ],
  ['notes_no_update', covering('attempt', ANSWERED), emptyNote('reading', ANSWERED, "words = 'erased'")],
  [
    'notes_no_update',
    covering('call', TOLD),
    emptyNote('told', TOLD, "headers = '{}', body = x'', words = 'erased'"),
  ],
  ['notes_no_update', covering('call', TOLD), emptyNote('decided', TOLD, "words = 'erased'")],
  [
    'notes_no_update',
    covering('call', RELEASED),
    emptyNote('look', RELEASED, "words = 'erased', body = x''"),
  ],
  ['notes_no_update', covering('call', RELEASED), emptyNote('released', RELEASED, "words = 'erased'")],
  [
    'rows_final',
    covering('row', BATCH, 2),
    "UPDATE rows SET reason = 'erased on 2026-11-20', input = NULL, sum = 1 WHERE row = 2",
  ],
  ['planned_no_update', covering('row', BATCH, 2), `UPDATE planned SET planned = '${SKIPPED}', sum = 1`],
  ['subjects_unchanged', covering('subject', 1), "UPDATE subjects SET name = 'erased:1', sum = 1"],
  [
    'changes_no_update',
    covering('subject', 1),
    'UPDATE changes SET email = NULL, invite_code = NULL, user_id = NULL, sum = 1',
  ],
];

const REFUSED: readonly Refusal[] = [
  ...EMPTYING.map(([guard, , sql]): Refusal => ['emptying what no entry covers', guard, sql]),
  ['erasing what may have been charged', 'erased_settled', covering('call', LOST)],
  ['the same of one attempt', 'erased_settled', covering('attempt', LOST)],
  ['erasing what is under way', 'erased_settled', covering('call', OPEN)],
  ['the same of the attempt that is', 'erased_settled', covering('attempt', OPEN)],
  [
    'erasing for its age what an open batch goes on with',
    'erased_needed',
    covering('call', ANSWERED).replace("'person'", "'age'").replace("'x'", 'NULL'),
  ],
  [
    'adding to an erasure that has ended',
    'erased_ended',
    `${ENTRY} UPDATE erasures SET scrubbed = 1; INSERT INTO erased VALUES ('row', 1, 1, 1)`,
  ],
  ['another time of an erasure', 'erasures_kept', `${ENTRY} UPDATE erasures SET at = 1`],
  [
    'files of an erasure that has not ended',
    'erasures_kept',
    `${ENTRY} UPDATE erasures SET files = '["/a"]'`,
  ],
  [
    'that an erasure has not ended after all',
    'erasures_kept',
    `${ENTRY} UPDATE erasures SET scrubbed = 1; UPDATE erasures SET scrubbed = 0`,
  ],
  ['that an erasure is forgotten', 'erasures_no_delete', `${ENTRY} DELETE FROM erasures`],
  [
    'that an entry is about something else',
    'erased_no_update',
    `${covering('row', 1)} UPDATE erased SET id = 2`,
  ],
  ['that an entry is taken out', 'erased_no_delete', `${covering('row', 1)} DELETE FROM erased`],
];

/** What an entry does not let through either. */
const STILL_REFUSED: readonly (readonly [promise: string, sql: string])[] = [
  ['another price', `${covering('call', ANSWERED)} UPDATE ends SET spent = 0 WHERE of = ${ANSWERED}`],
  ['another time', `${covering('call', ANSWERED)} UPDATE replies SET at = 1 WHERE of = ${ANSWERED}`],
  ['another kind', `${covering('call', ANSWERED)} UPDATE ends SET said = 'no_match' WHERE of = ${ANSWERED}`],
  [
    'another answer',
    `${covering('call', ANSWERED)} UPDATE replies SET body = x'7b7d7b7d7b7d7b7d7b7d' WHERE of = ${ANSWERED}`,
  ],
  ['other words', `${covering('call', ANSWERED)} UPDATE ends SET words = 'other' WHERE of = ${ANSWERED}`],
  [
    'another sum of what is kept',
    `${covering('call', ANSWERED)} UPDATE ends SET words = 'erased', sum = 1 WHERE of = ${ANSWERED}`,
  ],
  ['a call that asks something', `${covering('call', ANSWERED)} ${EMPTY_CALL.replace('{}', '{"a":1}')}`],
  [
    'a call of another operation',
    `${covering('call', ANSWERED)} ${EMPTY_CALL.replace('sum = 1', "sum = 1, operation = 'enrich-person'")}`,
  ],
  [
    'a call that is not dated by its entry',
    `${covering('call', ANSWERED)} ${EMPTY_CALL.replace(String(AT), '5')}`,
  ],
  [
    'another place of a call',
    `${covering('call', ANSWERED)} UPDATE calls SET state_number = 0, stands = NULL WHERE id = ${ANSWERED}`,
  ],
  ['another dialect', `${covering('call', ANSWERED)} UPDATE ends SET dialect = 5 WHERE of = ${ANSWERED}`],
  ['another reading', `${covering('call', ANSWERED)} ${emptyNote('reading', ANSWERED, 'spent = 9')}`],
  ['another decision', `${covering('call', TOLD)} ${emptyNote('decided', TOLD, "said = 'retry'")}`],
  ['other facts', `${covering('call', TOLD)} ${emptyNote('told', TOLD, "facts = '{}'")}`],
  [
    'another reserve',
    `${covering('call', ANSWERED)} UPDATE attempts SET reserved = 0 WHERE id = ${ANSWERED}`,
  ],
  ['another call of the same kind', `${covering('call', TOLD)} ${EMPTY_CALL}`],
  [
    'another outcome of a row',
    `${covering('row', BATCH, 2)} UPDATE rows SET outcome = 'skipped', matched_by = NULL`,
  ],
  ['another reason', `${covering('row', BATCH, 2)} UPDATE rows SET reason = 'x', input = NULL WHERE row = 2`],
  ['another name of a subject', `${covering('subject', 1)} UPDATE subjects SET name = 'lee@example.org'`],
  [
    'a body where there was none',
    `${covering('call', TOLD)} ${emptyNote('decided', TOLD, "body = x'7b7d'")}`,
  ],
  [
    'a row without a reason',
    `${covering('row', BATCH, 2)} UPDATE rows SET reason = NULL, input = NULL WHERE row = 2`,
  ],
  [
    'a planned row without a reason',
    `${covering('row', BATCH, 2)} UPDATE planned SET planned = '{"kind":"end"}'`,
  ],
  ['another role', `${covering('subject', 1)} UPDATE changes SET role = 'viewer'`],
];

describe('the database refuses', () => {
  test.each(REFUSED)('%s (%s)', (_, guard, sql) => expectRefusal(database, guard, sql));

  test.each(STILL_REFUSED)('%s, although an entry covers it', (_, sql) => {
    expect(() => tryOut(database, sql)).toThrow(/money rule/);
  });

  test.each(EMPTYING)('nothing that an entry covers (%s)', (_, entry, sql) => {
    tryOut(database, `${entry} ${sql}`);
  });

  test('by every guard of erasures that there is', () => {
    expect(untested(database, REFUSED, ERASURES, ELSEWHERE.erasures)).toEqual([]);
    const lettingErasuresPass = database
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%FROM erased x%' ORDER BY name",
      )
      .all();
    expect(lettingErasuresPass.map(({ name }) => name)).toEqual(
      [...new Set(EMPTYING.map(([guard]) => guard))].sort(),
    );
  });
});
