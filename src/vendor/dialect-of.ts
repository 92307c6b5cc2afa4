import { invariant, stop } from '../core/errors.ts';
import { DIALECTS } from '../core/families.ts';
import { loadMember } from '../core/family.ts';
import type { Vendor } from '../core/operation.ts';
import type { Account } from './account/account.ts';
import type { Dialect, ReadBack } from './dialect.ts';

/**
 * The dialect that an account speaks: the built-in one of its vendor, with the changes of its file, and through a
 * service when the account is connected by one.
 * @throws StopError `account` when a dialect file is wrong or asks for what the account does not have.
 */
export async function dialectOf(account: Account): Promise<Dialect> {
  const own = await vendorDialect(account.vendor, account.dialectPath);
  const dialect = account.via === undefined ? own : await throughService(own, account.via);
  requireFillable(dialect, account);
  return dialect;
}

export async function builtInDialect(vendor: Vendor): Promise<Dialect> {
  const builtIn = await loadMember<Dialect>(DIALECTS, vendor);
  invariant(builtIn !== undefined, `there is no dialect for a ${vendor}`);
  return builtIn;
}

async function vendorDialect(vendor: Vendor, dialectPath: string | undefined): Promise<Dialect> {
  const builtIn = await builtInDialect(vendor);
  if (dialectPath === undefined) return builtIn;
  // Most accounts name no file, and loading the code that checks one takes a good part of a start.
  const { readDialectFile } = await import('./dialect-file.ts');
  return readDialectFile(dialectPath, builtIn);
}

/**
 * The envelope carries no headers to the vendor. So an idempotency key does not get there either, and no lost call can
 * be read back by one.
 */
async function throughService(
  { idempotency: _, ...own }: Dialect,
  { connectedAccount, dialectPath }: NonNullable<Account['via']>,
): Promise<Dialect> {
  const { api_call: envelope } = await vendorDialect('service', dialectPath);
  invariant(envelope !== undefined, 'the dialect of the service has no api_call');
  const operations = Object.entries(own.operations).map(([name, operation]) => {
    const { read_back: readBack, ...others } = operation;
    return [name, readBack !== undefined && asksByKey(readBack) ? others : operation] as const;
  });
  return { ...own, operations: Object.fromEntries(operations), through: { envelope, connectedAccount } };
}

function asksByKey({ path, headers = {} }: ReadBack): boolean {
  return [path, ...Object.values(headers)].some((each) => each.includes('{idempotency_key}'));
}

/** A change of the service names its project; every other value that a header needs must be in the account. */
function requireFillable(dialect: Dialect, { name, organizationId, projectId, vendor }: Account): void {
  const missing = [
    { value: organizationId, placeholder: 'organization_id', headers: headersOf(dialect) },
    { value: projectId, placeholder: 'project_id', headers: headersWithoutProject(dialect) },
  ].find(
    ({ value, placeholder, headers }) =>
      value === undefined && JSON.stringify(headers).includes(`{${placeholder}}`),
  )?.placeholder;
  if (missing === undefined) return;
  throw stop(
    'account',
    `The dialect ${dialect.name} has a header with {${missing}}, and the account ${name} has none.`,
    vendor === 'service' || dialect.through !== undefined
      ? `Add ${missing} to the service account.`
      : `Write the header without {${missing}} in the dialect file.`,
  );
}

/** Headers of every request that the dialect may make. */
function headersOf(dialect: Dialect): readonly unknown[] {
  const { headers, operations, usage, whoami, list_users, list_invites, through } = dialect;
  if (through !== undefined) return [through.envelope.headers];
  const own = Object.values(operations).flatMap((each) => [each.headers, each.read_back?.headers]);
  return [headers, usage?.headers, whoami?.headers, list_users?.headers, list_invites?.headers, ...own];
}

/** Headers of the requests without a project of their own, as they are sent. */
function headersWithoutProject(dialect: Dialect): readonly unknown[] {
  const { headers, operations, usage, whoami, vendor, through } = dialect;
  if (vendor === 'provider' || through !== undefined) return headersOf(dialect);
  const shapes = [operations['create-project'], usage, whoami].filter((shape) => shape !== undefined);
  return shapes.map((shape) => ({ ...headers, ...shape.headers }));
}
