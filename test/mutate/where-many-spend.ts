import type { Mutation } from './mutation.ts';

/** What takes the place of the one spender where many processes spend: age, commits that are missing, shares of a limit, purses. */

const POSTGRES = 'src/ledger/stores/postgres';

type Taken = Pick<Mutation, 'without' | 'text' | 'instead' | 'named'>;

const from = (rule: number, at: string, test: string, taken: readonly Taken[]): readonly Mutation[] =>
  taken.map((each) => ({ rule, at, test, ...each }));

const inStore = (name: string): string => `test/ledger/stores/postgres-${name}.test.ts`;

const AGE = from(1, POSTGRES, inStore('away'), [
  {
    without: 'the age at which an attempt of another is over',
    text: '(c.over_at < clock() OR NOT EXISTS',
    instead: '(TRUE OR NOT EXISTS',
    named: 'not before its request can be',
  },
  {
    without: 'the deadline in that age',
    text: 'Math.ceil(SENT_WITHIN_MS + deadlineMs + OVER_AFTER_MS)',
    instead: 'Math.ceil(SENT_WITHIN_MS + OVER_AFTER_MS)',
    named: 'not before its request can be',
  },
  {
    without: 'leaving what a process has under way to it',
    text: 'AND c.open <> ALL ($2::bigint[])',
    instead: 'AND $2::bigint[] IS NOT NULL',
    named: 'not before its request can be',
  },
  {
    without: 'one of those who end an attempt coming first',
    text: 'attemptIn(history, id)?.end !== undefined && (own.has(id) || given.has(id))',
    instead: 'attemptIn(history, id) === undefined && (own.has(id) || given.has(id))',
    named: 'one of those who find it ends it',
  },
  {
    without: 'taking back an intent whose commit nobody knows of',
    text: '(sql) => takeBack(sql, session, intent)',
    instead: 'async () => false',
    named: 'an intent is admitted anew',
  },
]);

const LOST_COMMITS = [
  ...from(2, POSTGRES, inStore('away'), [
    {
      without: 'missing at a beat what was seen in the ledger',
      text: 'if (!isWhole) {',
      instead: 'if (isWhole === null) {',
      named: 'does not know what it had acknowledged',
    },
    {
      without: 'missing at an admission what was seen in the ledger',
      text: 'if (!dating.isWhole) throw commitsLost(session);',
      instead: '',
      named: 'does not know what it had acknowledged',
    },
  ]),
  ...from(2, POSTGRES, inStore('lost'), [
    {
      without: 'looking outside for the newest attempt before anything is bought',
      text: 'await requireNewest(database, options);\n    return;',
      instead: 'return;',
      named: 'restored from an older copy',
    },
    {
      without: 'telling the others that something is missing',
      text: 'SET lost = $1 WHERE lost IS NULL AND',
      instead: 'SET lost = $1 WHERE FALSE AND',
      named: 'restored from an older copy',
    },
    {
      without: 'knowing a ledger by the names that it had',
      text: '[identity, ...formerly].includes',
      instead: '[identity].includes',
      named: 'restored from an older copy',
    },
    {
      without: 'noting outside what a beat has seen',
      text: 'keepOutside(database, now.identity, newest);',
      instead: '',
      named: 'as of its last beat',
    },
    {
      without: 'remembering the place of a ledger',
      text: 'const loss = lossAt(database);',
      instead: 'const loss = undefined as ReturnType<typeof lossAt>;',
      named: 'laid out anew',
    },
  ]),
];

const SHARES = [
  ...from(4, `${POSTGRES}/schema/spenders-sql.ts`, inStore('shares'), [
    {
      without: 'all shares together being no more than the limit',
      text: 'wanted := greatest(least(wanted, most - taken), 0);',
      instead: 'wanted := greatest(wanted, 0);',
      named: 'one worker has the whole limit',
    },
    {
      without: 'the window until a share that was lost is free',
      text: 'CASE WHEN leaves THEN now ELSE mine.seen',
      instead: 'CASE WHEN TRUE THEN now - ms(stretch) ELSE mine.seen',
      named: 'seed: [12], quotas: \\[\\]',
    },
    {
      without: 'a window after the share of a worker that is gone',
      text: ' + stretch) RETURNING',
      instead: ') RETURNING',
      named: 'what a worker had that is heard of no more',
    },
    {
      without: 'a share holding until its loss was heard',
      text: 'IF was_heard OR leaves THEN',
      instead: 'IF TRUE THEN',
      named: 'seed: [1234], quotas: \\[\\]',
    },
    {
      without: 'what a former limiter of the process has sent',
      text: "UPDATE shares SET worker = -nextval('numbers'), wants = false WHERE account = whose AND worker = who AND sends > sent;",
      instead: '',
      named: 'a limiter that begins anew',
    },
    {
      without: 'what others were granted of a quota',
      text: 'coalesce(sum(granted - sends), 0) FROM shares',
      instead: 'coalesce(sum(granted - granted), 0) FROM shares',
      named: 'quotas: \\[ \\[Object',
    },
    {
      without: 'what a worker that is gone may have sent of a quota',
      text: 'other.granted - other.sends,',
      instead: '0,',
      named: 'counts as having sent it',
    },
    {
      without: 'one limit for all who send at the same time',
      text: 'IF FOUND THEN\n      RETURN',
      instead: 'IF FALSE THEN\n      RETURN',
      named: 'goes by another limit',
    },
  ]),
  ...from(4, 'src/run/beats.ts', 'test/run/beats.test.ts', [
    {
      without: 'sending nothing before a beat has brought a share',
      text: 'account.limiter.allot(0);',
      instead: '',
      named: 'nothing leaves before a share is heard',
    },
    {
      without: 'the end of a share',
      text: 'monotonicMs: began.monotonicMs + SHARE_HOLDS_MS,\n    wallMs: began.wallMs + SHARE_HOLDS_MS,',
      instead: 'monotonicMs: Number.POSITIVE_INFINITY,\n    wallMs: Number.POSITIVE_INFINITY,',
      named: 'nothing leaves before a share is heard',
    },
  ]),
  ...from(4, 'src/client/limits/limiter/share.ts', 'test/client/limits/limiter/shares.test.ts', [
    {
      without: 'the most sends of a share',
      text: 'if (mostSends !== undefined && sends >= mostSends) return true;',
      instead: '',
      named: 'of a quota of a day',
    },
  ]),
];

const PURSES = [
  ...from(11, POSTGRES, inStore('purses'), [
    {
      without: 'what a purse holds, at an admission',
      text: 'OR p.granted IS NULL OR p.used + a.spent + a.reserved',
      instead: 'OR TRUE OR p.used + a.spent + a.reserved',
      named: 'what workers admit at once',
    },
    {
      without: 'giving back what nobody has used',
      text: 'IF free < need THEN',
      instead: 'IF FALSE THEN',
      named: 'what a worker took for itself',
    },
    {
      without: 'holding a cap while it is granted',
      text: 'FROM batches b WHERE b.id = whose FOR NO KEY UPDATE;',
      instead: 'FROM batches b WHERE b.id = whose;',
      named: 'reach for the last of a budget',
    },
    {
      without: 'booking in the purse that admitted',
      text: 'SELECT batch, account, worker, begun_at AS at, spent, -reserved AS reserved',
      instead: 'SELECT batch, account, worker + 1 AS worker, begun_at AS at, spent, -reserved AS reserved',
      named: 'whoever ends an attempt',
    },
    {
      without: 'granting anew from what is used when a cap changes',
      text: "take_back('id', 'batch', 'extra')",
      instead: "take_back('id', 'day', 'month')",
      named: 'a lower one takes back',
    },
    {
      without: 'one call alone before its price is known',
      text: 'if (intent.isUnpriced && (await isBeingPriced(sql, intent)))',
      instead: 'if (intent.isUnpriced === undefined && (await isBeingPriced(sql, intent)))',
      named: 'before a price is known',
    },
    {
      without: 'one accounts file for all',
      text: 'if (isDeepStrictEqual(held, said)) return;',
      instead: 'if (held !== undefined) return;',
      named: 'what an account may do',
    },
    {
      without: 'a limit staying as it is while somebody sends by it',
      text: 'if (worker !== undefined && !isDeepStrictEqual(held.windows, said.windows))',
      instead: 'if (worker !== undefined && held === undefined)',
      named: 'what an account may do',
    },
    {
      without: 'database: all purses together hold no more than their cap',
      text: 'OR cap < (\n',
      instead: 'OR FALSE AND cap < (\n',
      named: 'granted more than the cap|another purse',
    },
    {
      without: 'database: a purse has an end where there is a cap',
      text: 'IF cap IS NOT NULL AND (NEW.granted IS NULL OR',
      instead: 'IF cap IS NOT NULL AND (FALSE OR',
      named: 'a purse without an end',
    },
    {
      without: 'database: a new purse is held against its cap',
      text: 'CREATE OR REPLACE TRIGGER purses_opened AFTER INSERT ON purses FOR EACH ROW',
      instead: 'CREATE OR REPLACE TRIGGER purses_opened AFTER DELETE ON prices FOR EACH STATEMENT',
      named: 'refuses another purse',
    },
    {
      without: 'database: an admission is no more than its purse holds',
      text: 'WHEN (NEW.reserved > OLD.reserved AND NEW.used > NEW.granted)',
      instead: 'WHEN (FALSE)',
      named: 'an admission above what its purse holds',
    },
  ]),
  ...from(11, POSTGRES, 'test/ledger/stores/conformance.test.ts', [
    {
      without: 'the other day that it may be',
      text: 'if (intent.leastMs !== undefined) await refuseOtherPeriods(sql, intent, own.reserved);',
      instead: '',
      named: 'postgres.*what either day holds',
    },
  ]),
];

export const WHERE_MANY_SPEND: readonly Mutation[] = [...AGE, ...LOST_COMMITS, ...SHARES, ...PURSES];
