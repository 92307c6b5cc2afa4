import type { Account } from '../client/account/account.ts';
import { answerPlaceOf, type Dialect } from '../client/dialect.ts';
import type { AnswerPlace } from '../core/answer-body.ts';
import type { Clock } from '../core/clock.ts';
import type { Operation } from '../core/operation.ts';
import type { SharedHosts } from '../files/quality/shared-hosts.ts';
import type { Job } from '../job/job.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import type { PlanSoFar } from '../objects/plan-object.ts';
import type { AskedBefore } from './asked-before.ts';

/** An account, and the dialect in which its vendor is asked. */
export interface AskedAccount {
  readonly account: Account;
  readonly dialect: Dialect;
}

/** The work for rows: a job, and the accounts on which it runs; the first is meant where one is. */
export interface ResolvedJob extends AskedAccount {
  readonly job: Job;
  /** The accounts beside the first, in the order in which the job names them. */
  readonly further: readonly AskedAccount[];
}

/** The accounts of a job. The operations of its steps name them by their positions. */
export const accountsOf = ({ further, account, dialect }: Omit<ResolvedJob, 'job'>) => [
  { account, dialect },
  ...further,
];

/** The same job with the accounts as the store has them. @param known finds one of them in the store. */
export async function withAccounts(
  { job, account, dialect, further }: ResolvedJob,
  known: (account: Account) => Promise<Account>,
): Promise<ResolvedJob> {
  const first = await known(account);
  const others: AskedAccount[] = [];
  for (const furtherAccount of further)
    others.push({ ...furtherAccount, account: await known(furtherAccount.account) });
  return { job, account: first, dialect, further: others };
}

/** The places of the fields in the answers of the job's accounts. */
export function answerPlaceIn(resolved: ResolvedJob): AnswerPlace {
  const { job, dialect } = resolved;
  const { name, steps } = job.operation;
  if (steps === undefined) return answerPlaceOf(dialect, name);
  const accounts = accountsOf(resolved);
  const placeOf = (step: Operation): AnswerPlace => {
    const [only, ...others] = (step.askedOperations ?? []).flatMap(({ account }) => accounts[account] ?? []);
    if (others.length === 0) return answerPlaceOf(only?.dialect ?? dialect, step.name);
    const places = [only, ...others].flatMap((by) =>
      by === undefined ? [] : [[by.account.identity, answerPlaceOf(by.dialect, step.name)] as const],
    );
    return { accounts: Object.fromEntries(places) };
  };
  return { steps: Object.fromEntries(steps.map((step) => [step.name, placeOf(step)])) };
}

/**
 * What a plan needs to know: the job with everything that it resolved to. Every `RunContext` is a
 * `PlanContext`, too.
 */
export interface PlanContext extends ResolvedJob {
  /** The ledger; undefined when there is no store yet, so that nothing is known as bought. */
  readonly ledger: LedgerReader | undefined;
  /** Whether every answer that was bought before counts as too old. */
  readonly refresh?: boolean | undefined;
  /** The hosts whose rows are set aside. Left out: nobody has read the list for them yet. */
  readonly shared?: SharedHosts | undefined;
  /** The questions whose rows are asked by what tells them apart. Left out: nobody has looked yet. */
  readonly apart?: ToldApart | undefined;
  /** The calls of an earlier build for rows that are asked otherwise today; left out: there are none. */
  readonly before?: AskedBefore | undefined;
  /** The work covers only this many of the first rows; left out: all rows. */
  readonly limit?: number | undefined;
  /** The work covers only the rows with these numbers, such as `5,9,12-20`; left out: all rows. */
  readonly only?: string | undefined;
  /** Whether the plan says what becomes of each row. */
  readonly each?: boolean | undefined;
  /** Only this step of the job is asked; left out: all steps. */
  readonly step?: string | undefined;
  /** Called again and again while the list is read, with what gives the counts of the rows that were read. */
  readonly hearSoFar?: ((soFar: () => PlanSoFar) => void) | undefined;
  readonly clock?: Clock;
}

/** Questions that several rows ask which another identifier tells apart, see `told-apart.ts`. */
export type ToldApart = ReadonlySet<string>;
