import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERASURES } from '../../../src/ledger/stores/sqlite/schema/erasures.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import {
  answered,
  batchNamed,
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
import { BOOK, expectRefusal, type Refusal, tryOut, untested } from './refusals.ts';

/**
 * Goal: an erasure empties content and nothing else, and only what an entry covers, whatever the code does.
 * Method: raw SQL on the file, around the code: what is refused without an entry, what is let through with one, and what
 * is refused with one as well.
 */
let database: Database.Database;

beforeAll(async () => {
  const place = temporaryFolder(afterAll);
  const ledger = await openStore(sqlite, place);
  const plan = [{ row: 2, kind: 'work', work: { email: 'kim@example.org' } }] as const;
  const spec = {
    key: 'key-a',
    lineage: 'a',
    operation: 'x',
    inputPath: '/in.csv',
    inputSha256: 's',
    inputRows: 3,
  };
  const more = {
    accountIdentity: 'provider test.example',
    accountName: 'data',
    sandbox: false,
    vendor: 'provider',
  } as const;
  const started = await ledger.beginBatch(
    { ...spec, ...more, settings: {}, createdAtMs: NOON_MS },
    false,
    plan,
  );
  const batch = started.batch.id;
  const answer = await answered(ledger, batch, 'answered', { request: requestUnder('key-1') });
  await lost(ledger, batch, 'lost');
  await lost(ledger, batch, 'told');
  await decide(ledger, batch, 'told', 'told', replyWith('somebody knew it'));
  await released(ledger, await lost(ledger, batch, 'released'));
  await ledger.recordLook(lookAt(2 as typeof answer, 'unclear'));
  await changed(ledger, await batchNamed(ledger, 'b'), changeOf('invite', 0), { left: MEMBER });
  await settle(ledger, batch, 2, { ...MATCHED, reason: 'kim@example.org' }, [answer]);
  await ledger.close();
  database = new Database(join(place, 'ledger.db'));
  database.pragma('recursive_triggers = ON');
  database.exec(
    `BEGIN; INSERT INTO readings VALUES (1, 1, 'found', 1, 'kim@example.org', 5, 0, 0); ${BOOK} COMMIT`,
  );
  afterAll(() => void database.close());
});

const BATCH = "(SELECT id FROM batches WHERE key = 'key-a')";
const [ANSWERED, LOST, TOLD, RELEASED] = [1, 2, 3, 4];
const AT = NOON_MS;

const ENTRY = `INSERT INTO erasures (id, kind, at, key_check, files, checksum) VALUES (1, 'person', ${AT}, 'x', '[]', 0);`;
const covering = (what: string, id: number | string, row = 0): string =>
  `${ENTRY} INSERT INTO erased (what, id, row, erasure) VALUES ('${what}', ${id}, ${row}, 1);`;

const EMPTY_CALL = `UPDATE calls SET key = randomblob(32), operation = 'enrich-company', shape = NULL, checksum = 1,
  own = '{"operation":"enrich-company","parameters":{},"ifLost":"hold","erasedAtMs":${AT}}' WHERE id = 1`;
const SKIPPED = '{"kind":"end","outcome":{"kind":"skipped","reason":"erased on 2026-11-20"}}';

/** What an entry lets through, by the guard that refuses it without one. */
const EMPTYING: readonly (readonly [guard: string, entry: string, sql: string])[] = [
  ['calls_unchanged', covering('call', ANSWERED), EMPTY_CALL],
  ['attempts_unchanged', covering('call', ANSWERED), 'UPDATE attempts SET checksum = 1 WHERE id = 1'],
  [
    'replies_no_update',
    covering('call', ANSWERED),
    "UPDATE replies SET headers = '{}', body = x'', checksum = 1 WHERE attempt = 1",
  ],
  [
    'requests_no_update',
    covering('attempt', ANSWERED),
    "UPDATE requests SET path = 'erased', body = NULL, checksum = 1 WHERE attempt = 1",
  ],
  [
    'closures_no_update',
    covering('attempt', ANSWERED),
    "UPDATE closures SET said = 'erased', checksum = 1 WHERE attempt = 1",
  ],
  [
    'readings_no_update',
    covering('attempt', ANSWERED),
    "UPDATE readings SET why = 'erased', checksum = 1 WHERE attempt = 1",
  ],
  [
    'told_no_update',
    covering('call', TOLD),
    "UPDATE told SET headers = '{}', body = x'', checksum = 1 WHERE attempt = 3",
  ],
  [
    'decisions_no_update',
    covering('call', TOLD),
    "UPDATE decisions SET why = 'erased', checksum = 1 WHERE doubt = 3",
  ],
  [
    'looks_no_update',
    covering('call', RELEASED),
    "UPDATE looks SET why = 'erased', body = x'', checksum = 1 WHERE attempt = 4",
  ],
  [
    'releases_no_update',
    covering('call', RELEASED),
    "UPDATE releases SET why = 'erased', checksum = 1 WHERE attempt = 4",
  ],
  [
    'rows_final',
    covering('row', BATCH, 2),
    "UPDATE rows SET reason = 'erased on 2026-11-20', input = NULL, checksum = 1 WHERE row = 2",
  ],
  ['planned_no_update', covering('row', BATCH, 2), `UPDATE planned SET planned = '${SKIPPED}', checksum = 1`],
  ['subjects_unchanged', covering('subject', 1), "UPDATE subjects SET name = 'erased:1', checksum = 1"],
  [
    'changes_no_update',
    covering('subject', 1),
    'UPDATE changes SET email = NULL, invite_code = NULL, user_id = NULL, checksum = 1',
  ],
];

const REFUSED: readonly Refusal[] = [
  ...EMPTYING.map(([guard, , sql]): Refusal => ['emptying what no entry covers', guard, sql]),
  ['erasing what may have been charged', 'erased_settled', covering('call', LOST)],
  ['the same of one attempt', 'erased_settled', covering('attempt', LOST)],
  [
    'erasing for its age what an open batch goes on with',
    'erased_needed',
    covering('call', ANSWERED).replace("'person'", "'age'").replace("'x'", 'NULL'),
  ],
  [
    'adding to an erasure that has ended',
    'erased_settled',
    `${ENTRY} UPDATE erasures SET scrubbed = 1; INSERT INTO erased VALUES ('row', 1, 1, 1)`,
  ],
  ['another time of an erasure', 'erasures_kept', `${ENTRY} UPDATE erasures SET at = 1`],
  [
    'files of an erasure that has not ended',
    'erasures_kept',
    `${ENTRY} UPDATE erasures SET files = '["/a"]'`,
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
  ['another price', `${covering('call', ANSWERED)} UPDATE closures SET charged = 0 WHERE attempt = 1`],
  ['another time', `${covering('call', ANSWERED)} UPDATE replies SET received_at = 1 WHERE attempt = 1`],
  ['another kind', `${covering('call', ANSWERED)} UPDATE closures SET ending = 0 WHERE attempt = 1`],
  [
    'another answer',
    `${covering('call', ANSWERED)} UPDATE replies SET body = x'7b7d7b7d7b7d7b7d7b7d' WHERE attempt = 1`,
  ],
  ['other words', `${covering('call', ANSWERED)} UPDATE closures SET said = 'other' WHERE attempt = 1`],
  ['a call that asks something', `${covering('call', ANSWERED)} ${EMPTY_CALL.replace('{}', '{"a":1}')}`],
  ['a call of another operation', `${covering('call', ANSWERED)} ${EMPTY_CALL.replace('company', 'person')}`],
  [
    'a call that is not dated by its entry',
    `${covering('call', ANSWERED)} ${EMPTY_CALL.replace(String(AT), '5')}`,
  ],
  ['another dialect', `${covering('call', ANSWERED)} UPDATE closures SET dialect = 5 WHERE attempt = 1`],
  ['another reading', `${covering('call', ANSWERED)} UPDATE readings SET charged = 9`],
  ['another reserve', `${covering('call', ANSWERED)} UPDATE attempts SET reserved = 0 WHERE id = 1`],
  ['another call of the same kind', `${covering('call', TOLD)} ${EMPTY_CALL}`],
  ['another outcome of a row', `${covering('row', BATCH, 2)} UPDATE rows SET ended = 7, matched_by = NULL`],
  ['another reason', `${covering('row', BATCH, 2)} UPDATE rows SET reason = 'x', input = NULL WHERE row = 2`],
  ['another name of a subject', `${covering('subject', 1)} UPDATE subjects SET name = 'lee@example.org'`],
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
    expect(untested(database, ERASURES, REFUSED)).toEqual([]);
    const lettingErasuresPass = database
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%FROM erased x%' ORDER BY name",
      )
      .all();
    expect(lettingErasuresPass.map(({ name }) => name)).toEqual(EMPTYING.map(([guard]) => guard).sort());
  });
});
