import { describe, expect, test } from 'vitest';
import type { StopError } from '../../../src/core/errors.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { storeAt } from '../../../src/ledger/stores.ts';
import { accountsConform } from './conformance/accounts.ts';
import { batchesConform } from './conformance/batches.ts';
import { callsConform } from './conformance/calls.ts';
import { doubtsConform } from './conformance/doubts.ts';
import { erasuresConform } from './conformance/erasures.ts';
import { missesConform } from './conformance/misses.ts';
import { moneyConforms } from './conformance/money.ts';
import { openingConforms } from './conformance/opening.ts';
import { pricesConform } from './conformance/prices.ts';
import { readingsConform } from './conformance/readings.ts';
import { refreshesConform } from './conformance/refreshes.ts';
import { releasesConform } from './conformance/releases.ts';
import { repeatsConform } from './conformance/repeats.ts';
import { rowsConform } from './conformance/rows.ts';
import { togetherConforms } from './conformance/together.ts';
import { postgresOfTests } from './postgres-server.ts';

/** In the order in which a ledger is used. */
const PARTS = [
  openingConforms,
  batchesConform,
  callsConform,
  togetherConforms,
  moneyConforms,
  pricesConform,
  doubtsConform,
  repeatsConform,
  releasesConform,
  refreshesConform,
  readingsConform,
  rowsConform,
  accountsConform,
  missesConform,
  erasuresConform,
];

// Goal: both stores keep the same promises. Method: one suite by the contract alone, run over each.
for (const store of [sqlite, postgresOfTests])
  describe(`the store "${store.name}"`, () => {
    for (const conforms of PARTS) conforms(store);
  });

describe('choosing a store', () => {
  test('every path is the SQLite store, also one that looks odd', async () => {
    for (const path of ['/var/lib/rowonce', './store', 'C:\\store', 'a:b', 'file:x'])
      expect((await storeAt(path)).name).toBe('sqlite');
  });

  // Of a password that is not percent-encoded, any part may read as the host, the path or more.
  const PASSWORDS = [
    'secret',
    '12/secret',
    '12#secret',
    '12?secret',
    'p@secret',
    's/ecret',
    'se#cret',
    '%secret',
  ];

  test.each(['mysql', 'postgres', 'POSTGRESQL'])(
    'a URL of %s is refused without the password in it',
    async (scheme) => {
      for (const password of PASSWORDS)
        for (const url of [
          `me:${password}@db.example/name`,
          `db.example/name?user=me&password=${password}`,
        ]) {
          const { detail } = await stopOf(`${scheme}://${url}`);
          expect(detail.code).toBe('store');
          expect(`${detail.message} ${detail.next}`).not.toMatch(/cret/);
        }
      const { detail } = await stopOf('mysql://me@db.example/name');
      expect(detail.message).toBe('No store handles mysql://….');
    },
  );

  test('a URL without a password is taken', async () => {
    for (const url of ['postgres://me@db.example:12/name?host=/a@b', 'postgres:///name?host=/run/postgresql'])
      expect((await storeAt(url)).name).toBe('postgres');
  });
});

const stopOf = (location: string): Promise<StopError> =>
  storeAt(location).then(
    () => Promise.reject(new Error('it was taken')),
    (error: StopError) => error,
  );
