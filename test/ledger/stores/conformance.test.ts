import { describe, expect, test } from 'vitest';
import { StopError } from '../../../src/core/errors.ts';
import { loadFamily } from '../../../src/core/family.ts';
import { type Store, storeFor } from '../../../src/ledger/store.ts';
import { conformsTo } from './conformance.ts';
import { postgresOfTests } from './postgres-server.ts';

// Goal: all stores keep the same promises. Method: one suite, run over every file that is found in src/ledger/stores/.
const stores = await loadFamily<Store>(new URL('../../../src/ledger/stores/', import.meta.url));

const tested = [...stores.values()].map((store) => (store.name === 'postgres' ? postgresOfTests : store));

for (const store of tested) describe(`the store "${store.name}"`, () => conformsTo(store));

describe('choosing a store', () => {
  test('every path is the SQLite store, also one that looks odd', () => {
    for (const path of ['/var/lib/rowonce', './store', 'C:\\store', 'a:b', 'file:x']) {
      expect(storeFor(stores.values(), path).name).toBe('sqlite');
    }
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
    (scheme) => {
      for (const password of PASSWORDS)
        for (const url of [
          `me:${password}@db.example/name`,
          `db.example/name?user=me&password=${password}`,
        ]) {
          const { detail } = stopOf(() => storeFor(stores.values(), `${scheme}://${url}`));
          expect(detail.code).toBe('store');
          expect(`${detail.message} ${detail.next}`).not.toMatch(/cret/);
        }
      const { detail } = stopOf(() => storeFor(stores.values(), 'mysql://me@db.example/name'));
      expect(detail.message).toBe('No store handles mysql://…; known are: postgres, sqlite.');
    },
  );

  test('a URL without a password is taken', () => {
    for (const url of ['postgres://me@db.example:12/name?host=/a@b', 'postgres:///name?host=/run/postgresql'])
      expect(storeFor(stores.values(), url).name).toBe('postgres');
  });
});

function stopOf(choose: () => unknown): StopError {
  try {
    choose();
  } catch (error) {
    if (error instanceof StopError) return error;
  }
  throw new Error('it was taken');
}
