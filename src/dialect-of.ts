import type { Account } from './account.ts';
import type { Dialect } from './dialect.ts';
import { stop } from './errors.ts';
import { loadMember } from './family.ts';

/** The dialect that an account's vendor speaks. @throws StopError `unsupported` when there is none for it. */
export async function dialectOf({ vendor }: Pick<Account, 'vendor'>): Promise<Dialect> {
  const dialect = await loadMember<Dialect>(new URL('./dialects/', import.meta.url), vendor);
  if (dialect !== undefined) return dialect;
  throw stop('unsupported', `Nothing can be done with a ${vendor} account yet.`, 'Use a provider account.');
}
