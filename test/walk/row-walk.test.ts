import { NO_FINDINGS } from '../../src/core/finding.ts';
/**
 * Goal: no row asks for ever: after twenty calls an operation that still wants another one is at fault.
 * Method: an operation that asks for one page more whatever it is answered, over answers that were all found.
 */

import { expect, test } from 'vitest';
import { sandboxAccount } from '../../src/client/account/account.ts';
import type { Dialect } from '../../src/client/dialect.ts';
import provider from '../../src/client/dialects/provider.ts';
import { unoffered } from '../../src/core/described.ts';
import { type Call, defineOperation, send } from '../../src/core/operation.ts';
import type { AttemptId, BatchId } from '../../src/ledger/ledger.ts';
import { RowWalk } from '../../src/walk/row-walk.ts';

const callOf = (page: number): Call => ({ operation: 'search', parameters: { page }, ifLost: 'hold' });

const DIALECT: Dialect = {
  ...provider,
  operations: { search: { method: 'POST', path: '/search', credits: { most: 1, found: 1 } } },
};

test('a row that would never end is a bug, not a bill', () => {
  const operation = defineOperation({
    name: 'search',
    summary: 'Asks for pages.',
    vendor: 'provider',
    inputs: [],
    tiers: [],
    described: unoffered('pages', {}),
    preparer: () => () => ({ kind: 'ready', input: {} }),
    next(_input, answered) {
      let page = 1;
      while (answered(callOf(page)) !== undefined) page += 1;
      return send(callOf(page));
    },
  });
  const by = { account: sandboxAccount('provider'), dialect: DIALECT };
  const walk = new RowWalk(operation, [by], { input: {} });
  const asked: unknown[] = [];
  const walkOn = (): void => {
    for (let step = walk.next(); 'met' in step; step = walk.next()) {
      const { met } = step;
      asked.push(met.call.parameters.page);
      walk.tell(met, {
        attempt: asked.length as AttemptId,
        batch: 'b' as BatchId,
        kind: 'found',
        why: NO_FINDINGS,
        body: Buffer.from('{}'),
      });
    }
  };
  expect(walkOn).toThrow('more than 20 calls');
  expect(asked).toHaveLength(20);
});
