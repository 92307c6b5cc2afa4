import { stop } from '../../core/errors.ts';
import type { Operation, Vendor } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Account } from '../account/account.ts';
import type { Dialect, DialectOperation } from './dialect-schema.ts';
import type { OwnDialect } from './file.ts';

/**
 * A dialect of one's own, for the option `dialects` of `runJob`, `planJob`, `enrich`, `sweep` and `tryCall`: it stands in the place of the
 * account's dialect file, and is checked like that before anything is sent. Nobody is asked whether to send what it says, as the
 * program itself says it.
 * @example
 * const dearer = defineDialect({
 *   name: 'dearer',
 *   vendor: 'provider',
 *   operations: { 'enrich-company': { credits: { most: 3 } } },
 * });
 * const companies = [{ domain: 'banksia.example.com' }];
 * const offer = { job: 'enrich-company', dialects: [dearer], account: 'sandbox-provider' };
 * console.log((await enrich(companies, offer).summary()).counts);
 */
export function defineDialect(dialect: OwnDialect): OwnDialect {
  return dialect;
}

/** The account without the files in whose place a program has passed a dialect. @throws StopError `account` for two of one vendor. */
export function withoutReplaced(account: Account, own: readonly OwnDialect[]): Account {
  const vendors = own.map(({ vendor }) => vendor);
  const twice = vendors.find((vendor, at) => vendors.indexOf(vendor) !== at);
  if (twice !== undefined) {
    const names = own.filter(({ vendor }) => vendor === twice).map(({ name }) => foreignWords(String(name)));
    throw stop(
      'account',
      `There are ${names.length} dialects for a ${twice}: ${names.join(', ')}.`,
      'Pass one of them.',
    );
  }
  return withoutFiles(account, vendors);
}

export function withoutFiles(account: Account, vendors: readonly Vendor[]): Account {
  const { via } = account;
  const own = vendors.includes(account.vendor) ? withoutFile(account) : account;
  return via !== undefined && vendors.includes('service') ? { ...own, via: withoutFile(via) } : own;
}

function withoutFile<Spoken extends { readonly dialectPath?: string }>(
  spoken: Spoken,
): Omit<Spoken, 'dialectPath'> {
  const { dialectPath: _, ...others } = spoken;
  return others;
}

export function withRequestOf(
  dialect: Dialect,
  { name, request }: Pick<Operation, 'name' | 'request'>,
): Dialect {
  if (request === undefined) return dialect;
  // `operationFrom` has had it checked as an entry.
  const entry = request as unknown as DialectOperation;
  return { ...dialect, operations: { ...dialect.operations, [name]: entry } };
}
