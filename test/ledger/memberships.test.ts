import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import sqlite from '../../src/ledger/stores/sqlite.ts';
import { batchNamed } from './stores/book.ts';
import { changed, changeOf, INVITED, KIM, LEE, lostChange, MEMBER } from './stores/changes.ts';
import { freshPlace, openStore } from './stores/places.ts';

// Goal: whoever opens the ledger with another program sees who is in which project. Method: its table, by plain SQL.
test('the ledger shows who is in which project, as the last change left them', async () => {
  const place = freshPlace(sqlite);
  const ledger = await openStore(sqlite, place);
  const batch = await batchNamed(ledger, 'a');
  await changed(ledger, batch, changeOf('create-invite', 0), { left: INVITED });
  const elsewhere = { ...KIM, project: 'proj-2' };
  await changed(ledger, batch, changeOf('create-invite', 0, elsewhere), { left: INVITED });
  await changed(ledger, batch, changeOf('update-user', 1), { left: MEMBER });
  await lostChange(ledger, batch, changeOf('create-invite', 0, LEE));
  await ledger.close();
  const database = new Database(join(place, 'ledger.db'), { readonly: true });
  onTestFinished(() => void database.close());
  const sql = `SELECT project, name, facts ->> 'state' AS state, facts ->> 'role' AS role, seq FROM subjects ORDER BY project, name`;
  expect(database.prepare(sql).all()).toEqual([
    { project: 'proj-1', name: KIM.name, state: 'member', role: 'admin', seq: 2 },
    { project: 'proj-1', name: LEE.name, state: null, role: null, seq: 0 },
    { project: 'proj-2', name: KIM.name, state: 'invited', role: 'viewer', seq: 1 },
  ]);
});
