import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { loadAccounts } from '../../../src/client/account/account.ts';
import { spoolInput } from '../../../src/files/spool.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { answered, batchNamed } from './book.ts';
import { openStore, temporaryFolder } from './places.ts';

/*
 * Goal: what another user could have put in place is neither believed nor written through: what is known of ledgers, what comes by a
 * pipe, the accounts. The store itself is the matter of `web/serve.test.ts`.
 * Method: real folders whose mode is altered as such a user would.
 */

afterEach(() => void vi.unstubAllEnvs());

const hasModes = process.platform !== 'win32';

/** A closed store in which something was bought. */
async function store(): Promise<string> {
  const place = join(temporaryFolder(), 'store');
  const ledger = await openStore(sqlite, place);
  await answered(ledger, await batchNamed(ledger, 'a'), 'one');
  await ledger.close();
  return place;
}

/** Neither a spender nor somebody who looks takes it, and its files stay as they are. */
async function expectRefused(place: string, message: RegExp): Promise<void> {
  const before = readFileSync(join(place, 'ledger.db'));
  const refusal = { code: 'store', message: expect.stringMatching(message) };
  await expect(openStore(sqlite, place)).rejects.toMatchObject(refusal);
  await expect(sqlite.look(place)).rejects.toMatchObject(refusal);
  expect(readFileSync(join(place, 'ledger.db')).equals(before)).toBe(true);
}

describe.runIf(hasModes)('what is known of ledgers outside of their stores', () => {
  test('what is known outside is not taken from a folder in which others could write, and holds up whoever would rely on it', async () => {
    const state = temporaryFolder();
    vi.stubEnv('XDG_STATE_HOME', state);
    const place = await store();
    const notes = join(state, 'rowonce-ledgers');
    chmodSync(notes, 0o777);
    await expectRefused(
      place,
      /^The record of known ledgers was not used: other users can write in .*rowonce-ledgers/,
    );
    chmodSync(notes, 0o700);
    await (await openStore(sqlite, place)).close();
  });
});

test.runIf(hasModes)('standard input is not kept in a folder in which others could write', async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o770);
  const spooling = spoolInput(Readable.from([Buffer.from('Domain\na.example\n')]), folder);
  await expect(spooling).rejects.toMatchObject({
    code: 'input',
    next: expect.stringContaining('chmod go-w'),
  });
});

describe.runIf(hasModes)('accounts', () => {
  function accountsIn(mode: number): string {
    const folder = join(temporaryFolder(), 'config');
    mkdirSync(folder);
    writeFileSync(join(folder, 'accounts.yaml'), 'accounts: {}\n', { mode: 0o600 });
    chmodSync(folder, mode);
    return join(folder, 'accounts.yaml');
  }

  test.each([0o775, 0o707])(
    'accounts are not read from a folder in which others could replace them (%o)',
    async (mode) => {
      await expect(loadAccounts(accountsIn(mode))).rejects.toMatchObject({
        code: 'account',
        message: expect.stringMatching(
          /^The accounts file was not read: other users can write in .*config \(mode 07\d\d\)\.$/,
        ),
        next: expect.stringContaining('chmod go-w'),
      });
    },
  );
});
