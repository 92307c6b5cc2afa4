import { describe, expect, test } from 'vitest';
import type { Ended } from '../../cli/rowonce.ts';
import { type Host, openHost } from '../../faults/database-host.ts';
import { domainsOf } from '../../faults/workplace.ts';

/*
 * Goal: who works on a store in PostgreSQL under the role for that buys and finishes as the owner does, and cannot delete what was
 * bought, nor erase it: that is the owner's, and every run says that it is due. What all go by is looked after by commands.
 * Method: the real command over a real server, under the roles and with the grants that `store init` prints.
 */

/** A list was bought under the role for workers. */
async function bought({ place, store }: Host, account = {}): Promise<void> {
  place.writeAccount(place.vendor.url, account);
  place.writeList(domainsOf('roles', 6));
  const { code, stderr } = await place.runHere({ store });
  expect(code, stderr).toBe(0);
}

/** What a run keeps for as long as it needs it, or writes anew, and a worker removes. */
const PASSING = ['files', 'places', 'uses'];

describe('the role for workers', () => {
  test('the role for workers deletes nothing but what only passes, whatever it is told', async () => {
    const host = await openHost();
    await bought(host);
    const tables = (
      await host.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'rowonce_ledger' ORDER BY 1`)
    ).map(({ tablename }) => String(tablename));
    const tried = (text: string): Promise<unknown> =>
      host.query(`SET ROLE rowonce_worker; ${text}`).catch(String);
    const deleted: string[] = [];
    for (const table of tables) {
      if (!String(await tried(`DELETE FROM ${table}`)).includes('permission denied')) deleted.push(table);
      expect(await tried(`TRUNCATE ${table} CASCADE`), table).toContain('permission denied');
    }
    expect(deleted).toEqual(PASSING);
    expect(await host.query('SELECT count(*)::int AS rows FROM rows')).toEqual([{ rows: 6 }]);
  });
});

describe('erasing is for the owner', () => {
  const PERSON = 'ada@acme.example';

  test('the worker’s forget under the role for workers shows what there is, names the owner, and erases nothing', async () => {
    const { place, store, owners, query } = await openHost();
    place.writePeople([PERSON]);
    const ran = await place.runHere({ store, job: 'enrich-person' });
    expect(ran.code, ran.stderr).toBe(0);
    const typed = (url: string, ...words: readonly string[]): Promise<Ended> =>
      place.typeHere(['forget', PERSON, '--store', url, ...words]);
    const holds = async (): Promise<boolean> =>
      JSON.stringify(await query('SELECT asked FROM attempts')).includes(PERSON);
    const shown = await typed(store, '--dry-run');
    expect([shown.code, shown.stdout], shown.stderr).toEqual([0, expect.stringContaining('1 request')]);
    const refused = await typed(store, '--yes');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('the role tests') });
    expect(refused.stderr).toContain(`--store ${owners}`);
    expect(await holds()).toBe(true);
    const erased = await typed(owners, '--yes');
    expect(erased.code, erased.stderr).toBe(0);
    expect(await holds()).toBe(false);
  });
});

describe('what many work on', () => {
  test('what many work on is checked by adding up its budgets, and backed up by its own means', async () => {
    const host = await openHost();
    const { place, store, query } = host;
    const type = (...words: readonly string[]) => place.typeHere(['store', ...words, '--store', store]);
    await bought(host);
    expect((await type('check')).stdout).toContain('5 budgets added up');
    expect((await type('info')).stdout).toMatch(/: \d+\.\d MB, 1 batch\.$/m);
    expect((await place.typeHere(['doctor', '--store', store])).stdout).toMatch(/^ok {7}store .*, 1 batch$/m);
    const backup = await type('backup', 'kept.dump');
    expect([backup.code, backup.stderr]).toEqual([
      2,
      expect.stringContaining('Back it up where it runs, by'),
    ]);
    await query("UPDATE budgets SET spent = spent - 1 WHERE kind = 'batch'");
    const wrong = await type('check');
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toMatch(/^batch:[0-9a-f]{8}: 5 spent and 0 held are booked/);
    expect(wrong.stdout).toContain('its entries add up to 6 spent');
  });

  test('what many work on takes no other limits of an account than it goes by: another accounts file is refused, until its limits are let hold for all', async () => {
    const host = await openHost();
    const { place, store } = host;
    await bought(host);
    place.writeAccount(place.vendor.url, { budget: { per_day: 1_000 } });
    place.writeList(domainsOf('other', 2));
    const refused = await place.runHere({ store });
    expect(refused).toMatchObject({ code: 2, report: { stopped: { code: 'account' } } });
    expect((await place.vendor.book()).requests).toBe(6);
    expect(refused.stderr).toContain('but 2,000 requests in 1 s and 1,000 credits a day in');
    expect(refused.stderr).toContain(`rowonce store caps ${store}`);
    expect((await place.typeHere(['store', 'caps', store])).stdout).toBe(
      'data: 2,000 requests in 1 s and 1,000 credits a day; before, 2,000 requests in 1 s and no budget.\n',
    );
    expect(await place.runHere({ store })).toMatchObject({ code: 0, report: { requests: 2 } });
  });
});
