import type { Clock } from '../core/clock.ts';
import type { Account } from './account/account.ts';
import { resolveKey } from './account/account-key.ts';
import type { Dialect } from './dialect.ts';
import type { RequestValues } from './request.ts';
import { Transport } from './transport.ts';

/** What every way to a vendor needs, whether it is bought from or only looked at. */

/** Answers take seconds, not minutes; an answer that comes later is taken for lost, so this is generous. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** How long a whole exchange with the account's vendor may take. */
export function timeoutMsOf({ timeoutMs = DEFAULT_TIMEOUT_MS }: Pick<Account, 'timeoutMs'>): number {
  return timeoutMs;
}

/** @param connections most requests at once. */
export function transportTo(
  baseUrl: URL,
  account: Pick<Account, 'timeoutMs'>,
  { key }: Pick<RequestValues, 'key'>,
  dialect: Dialect,
  connections: number,
  clock: Clock,
  onSurplus: (requests: number) => void = () => {},
): Transport {
  return new Transport({
    origin: baseUrl.origin,
    connections,
    timeoutMs: timeoutMsOf(account),
    clock,
    onSurplus,
    keptHeaders: headersReadBy(dialect),
    keys: [key],
  });
}

/** Path of an address, without a slash at its end. */
export function basePathOf(baseUrl: URL): string {
  return baseUrl.pathname.replace(/\/+$/, '');
}

/** @throws StopError `account` when the key is not where the account says. */
export async function requestValuesOf(account: Account): Promise<RequestValues> {
  return {
    key: await resolveKey(account),
    ...(account.projectId === undefined ? {} : { project_id: account.projectId }),
    ...(account.organizationId === undefined ? {} : { organization_id: account.organizationId }),
  };
}

/** Response headers that this dialect reads, besides those that are kept of every answer. */
function headersReadBy(dialect: Dialect): string[] {
  const { rate_hints = {}, credits_charged = {}, operations } = dialect;
  const { limit, remaining, reset, retry_after } = rate_hints;
  const named = [limit, remaining, reset, retry_after, credits_charged.header];
  const outer = dialect.through?.envelope.answers ?? [];
  const rules = [
    ...[...dialect.answers, ...outer],
    ...Object.values(operations).flatMap(({ answers = [], repeated = [] }) => [...answers, ...repeated]),
  ];
  return [
    ...dialect.request_id,
    ...rules.flatMap(({ header = {} }) => Object.keys(header)),
    ...named.filter((name) => name !== undefined),
  ];
}
