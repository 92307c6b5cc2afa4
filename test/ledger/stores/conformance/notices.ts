import { expect, test } from 'vitest';
import type { Store } from '../../../../src/ledger/store.ts';
import { NOON_MS } from '../book.ts';
import { freshLedger } from '../places.ts';

// Goal: what a job tells outside is kept until somebody has received it. Method: the store itself.
export function noticesConform(store: Store): void {
  test('a notice waits, as it was told first, until it was received, and does not wait any more then', async () => {
    const ledger = await freshLedger(store);
    const told = { id: 'n1', kind: 'end', target: '{}', body: '{"rows":1}', atMs: NOON_MS } as const;
    const later = { ...told, id: 'n2', kind: 'doubt', atMs: NOON_MS + 1 } as const;
    await ledger.notices.keep(later);
    await ledger.notices.keep(told);
    await ledger.notices.keep({ ...told, body: '{"rows":2}' });
    expect(await ledger.notices.waiting()).toEqual([told, later]);
    await ledger.notices.noteSent('n1', NOON_MS + 2);
    expect(await ledger.notices.waiting()).toEqual([later]);
  });
}
