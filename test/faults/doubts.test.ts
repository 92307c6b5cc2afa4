import { describe, expect, test } from 'vitest';
import { type JsonResult, objectIn } from '../cli/desk.ts';
import { some } from '../combinations.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: a lost answer is settled by what the vendor offers, for the least money: by its idempotency keys, by a
 * read-back (by its count of credits: `run/reconcile.test.ts`); and by nothing when it offers nothing. Whether it had charged or not, and whatever
 * is killed on the way, a call is paid for once (protocol, rule 10 a to d).
 * Method: the vendor loses its first answer, before or after it has charged for it. A dialect file says which of its
 * offers may be used. The program is killed before and after each step, and the same command is typed again. The vendor's
 * book says what was paid, and `status` and `settle` what was done.
 */

const DOMAINS = domainsOf('doubt', 3);
const EITHER_WAY = ['reset', 'charged-reset'] as const;

/** No answer of the sandbox is sure later than at once, and nobody wants to wait for it. */
const AT_ONCE = { sure_after: '0s' };

const KEYS = { idempotency: { header: 'Idempotency-Key', valid_for: '24h' } };

/** The key is what the vendor is asked by. It is honoured too briefly for a repeat, so that only the question is left. */
const READ_BACK = {
  idempotency: { header: 'Idempotency-Key', valid_for: '1ms' },
  operations: {
    'enrich-company': {
      read_back: {
        method: 'GET',
        path: '/requests/{idempotency_key}',
        fields: { domain: null },
        answers: [
          { status: [200], says: 'happened' },
          { status: [404], says: 'not_happened' },
        ],
        answer: 'answer',
        answer_status: 'status',
        ...AT_ONCE,
      },
    },
  },
};

describe.concurrent('a lost answer, where the vendor honours idempotency keys', () => {
  const KILLS = ['never', 'after-send:1', 'after-intent:2', 'after-send:2'];

  test.each(some(either(KILLS), 1))(
    '%s, killed %s: sent again under its key, paid once',
    async (fault, crashAt) => {
      await using workplace = await lossyWorkplace(fault, KEYS);
      await runUntilTheEnd(workplace, crashAt);
      await expectPaidOnce(workplace);
    },
  );
});

describe.concurrent('a lost answer, where the vendor can be asked about one call', () => {
  const KILLS = ['never', 'after-close:1', 'after-look:1'];

  test.each(some(either(KILLS), 1))('%s, killed %s: asked about, paid once', async (fault, crashAt) => {
    await using workplace = await lossyWorkplace(fault, READ_BACK);
    await runUntilTheEnd(workplace, crashAt);
    await expectPaidOnce(workplace);
    const said = fault === 'reset' ? 'not_happened' : 'happened';
    const { attempts } = await type(workplace, 'status', 'last', '2');
    expect(attempts[0].looks.at(-1)).toMatchObject({ kind: 'read_back', said });
    expect(attempts).toHaveLength(fault === 'reset' ? 2 : 1);
    if (fault === 'reset') expect(attempts[0].released.why).toContain('did nothing for it');
    else expect(attempts[0].decision).toMatchObject({ kind: 'told', by: 'rule' });
  });
});

/** Each fault with each kill. */
function either(kills: readonly string[]): readonly (readonly [string, string])[] {
  return EITHER_WAY.flatMap((fault) => kills.map((kill) => [fault, kill] as const));
}

/** One call at a time, the first of which loses its answer. */
async function lossyWorkplace(fault: string, dialect: object): Promise<Workplace> {
  const workplace = await Workplace.open({ concurrency: 1, faults: `${fault}:x1` });
  workplace.writeDialect(dialect);
  workplace.writeAccount(workplace.vendor.url, { dialect: './dialect.yaml' });
  workplace.writeList(DOMAINS);
  return workplace;
}

/** Types the command; when it was killed, once more. */
async function runUntilTheEnd(workplace: Workplace, crashAt = 'never'): Promise<void> {
  if (crashAt !== 'never') {
    const { signal, code, stderr } = await workplace.run({ crashAt });
    expect(signal, `${crashAt} was not reached: exit ${code}, ${stderr}`).toBe('SIGKILL');
  }
  const { code, stderr } = await workplace.runHere();
  expect(code, stderr).toBe(0);
}

async function expectPaidOnce(workplace: Workplace): Promise<void> {
  expect(workplace.statuses()).toEqual(['matched', 'matched', 'matched']);
  expect(await workplace.vendor.book()).toMatchObject({ credits: DOMAINS.length, charged_twice: [] });
  expect(workplace.ledger()).toMatchObject({ open: [], inDoubt: 0, spent: DOMAINS.length });
  const { credits } = await type(workplace, 'status', 'last');
  expect(credits).toMatchObject({ spent: DOMAINS.length, in_doubt: 0, reserved: 0 });
}

async function type(workplace: Workplace, ...words: readonly string[]): Promise<JsonResult> {
  const { stdout } = await workplace.typeHere([...words, '--store', workplace.path('store'), '--json']);
  return objectIn(stdout);
}
