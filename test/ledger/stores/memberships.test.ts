import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import { ACCOUNT, batchNamed } from './book.ts';
import { changed, changeOf, INVITED, KIM, LEE, lostChange, MEMBER } from './changes.ts';
import { freshPlace, openStore } from './places.ts';

// Goal: whoever opens the ledger with another program sees who is in which project. Method: its view, by plain SQL.
test('the ledger shows who is in which project, as the last change left them', async () => {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  await changed(ledger, batch, changeOf('create-invite', 0), { left: INVITED });
  await changed(ledger, batch, changeOf('create-project', 0, { name: 'project:Website' }), {
    left: { state: 'done' },
  });
  const elsewhere = { ...KIM, project: 'proj-2' };
  await changed(ledger, batch, changeOf('create-invite', 0, elsewhere), { left: INVITED });
  await changed(ledger, batch, changeOf('update-user', 1), { left: MEMBER });
  await lostChange(ledger, batch, changeOf('create-invite', 0, LEE));
  await ledger.close();
  const database = new Database(join(place, 'ledger.db'), { readonly: true });
  onTestFinished(() => void database.close());
  const { name: person } = KIM;
  const email = 'kim@example.org';
  expect(database.prepare('SELECT * FROM memberships ORDER BY project').all()).toEqual([
    {
      ...{ account: ACCOUNT, project: 'proj-1', person, email, role: 'admin' },
      ...{ invite_code: null, user_id: 'u-1', state: 'member', sequence: 2 },
    },
    {
      ...{ account: ACCOUNT, project: 'proj-2', person, email, role: 'viewer' },
      ...{ invite_code: 'invite-1', user_id: null, state: 'invited', sequence: 1 },
    },
  ]);
});
