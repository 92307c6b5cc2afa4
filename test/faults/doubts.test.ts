import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type JsonResult, objectIn } from '../cli/desk.ts';
import { typedAt } from '../cli/typed.ts';
import { some } from '../combinations.ts';
import { domainsOf, Workplace } from './workplace.ts';

/*
 * Goal: a lost answer is settled by what the vendor offers, for the least money: by its idempotency keys, by a
 * read-back, by its count of credits; and by nothing when it offers nothing. Whether it had charged or not, and whatever
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

const USAGE = {
  usage: { method: 'GET', path: '/usage', credits: 'credits', ...AT_ONCE },
  credits_charged: { header: 'x-credits-charged' },
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
    const { attempts } = await type(workplace, 'status', 'last', '2', '--json');
    expect(attempts[0].looks.at(-1)).toMatchObject({ kind: 'read_back', said });
    expect(attempts).toHaveLength(fault === 'reset' ? 2 : 1);
    if (fault === 'reset') expect(attempts[0].released.why).toContain('did nothing for it');
    else expect(attempts[0].decision).toMatchObject({ kind: 'told', by: 'rule' });
  });
});

describe.concurrent('a lost answer, where the vendor counts credits and nobody else uses the key', () => {
  test('charged-reset: counted, so it is held, and the list says what the vendor said', async () => {
    await using workplace = await lossyWorkplace('charged-reset', USAGE, { exclusive_key: true });
    await workplace.runHere();
    expect(await workplace.runHere()).toMatchObject({
      code: 3,
      report: { credits: { spent: 2, in_doubt: 1 } },
    });
    expect((await workplace.vendor.book()).charged_twice).toEqual([]);
    const list = await typed(workplace, 'settle', 'last');
    expect(list).toMatch(
      /^row 2, .*1 credit at risk.*\n {4}the vendor was asked for its count of credits at 20.*Z, unclear: since 20.*Z the vendor counted 3 credits, and answers cost 2\n1 in doubt/,
    );
    const { in_doubt: doubts } = await type(workplace, 'settle', 'last', '--json');
    expect(doubts).toMatchObject([{ row: 2, credits: 1, looks: [{ kind: 'usage', said: 'unclear' }] }]);

    // Whatever a person says that it cost, the vendor's counts of before prove nothing any more.
    expect(markOf(workplace)).toBe(0);
    await typed(workplace, 'settle', 'last', '2', '--answer', 'name=Acme');
    expect(markOf(workplace)).toBeNull();
  });
});

/** Each fault with each kill. */
function either(kills: readonly string[]): readonly (readonly [string, string])[] {
  return EITHER_WAY.flatMap((fault) => kills.map((kill) => [fault, kill] as const));
}

/** One call at a time, the first of which loses its answer. */
async function lossyWorkplace(fault: string, dialect: object, account: object = {}): Promise<Workplace> {
  const workplace = await Workplace.open({ concurrency: 1, faults: `${fault}:x1` });
  workplace.writeDialect(dialect);
  workplace.writeAccount(workplace.vendor.url, { dialect: './dialect.yaml', ...account });
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
  const { credits } = await type(workplace, 'status', 'last', '--json');
  expect(credits).toMatchObject({ spent: DOMAINS.length, in_doubt: 0, reserved: 0 });
}

/** The vendor's count that the next comparison begins from. */
function markOf(workplace: Workplace): unknown {
  const database = new Database(workplace.path('store/ledger.db'), { readonly: true });
  const usage = database.prepare<[], string | null>('SELECT usage FROM accounts').pluck().get();
  database.close();
  return usage == null ? null : JSON.parse(usage).counted;
}

async function typed(workplace: Workplace, ...words: readonly string[]): Promise<string> {
  const env = {
    HOME: workplace.folder,
    ROWONCE_CONFIG: workplace.path('config'),
    ROWONCE_STORE: workplace.path('store'),
  };
  return (await typedAt(words, { cwd: workplace.folder, env })).stdout;
}

async function type(workplace: Workplace, ...words: readonly string[]): Promise<JsonResult> {
  return objectIn(await typed(workplace, ...words));
}
