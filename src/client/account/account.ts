import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { canonicalJson } from '../../core/call-key.ts';
import { type Advice, meantWord, type StopError, stop } from '../../core/errors.ts';
import { shippedDialect } from '../../core/families.ts';
import type { CreditPrice } from '../../core/money.ts';
import { present } from '../../core/objects.ts';
import type { Vendor } from '../../core/operation.ts';
import { accountsPath } from '../../core/paths.ts';
import {
  asCommand,
  asField,
  asPhrase,
  byFlag,
  faces,
  phrase,
  typing,
  type Words,
} from '../../core/phrase.ts';
import { capital, foreignName } from '../../core/plain-text.ts';
import { parseRate } from '../../core/rate.ts';
import { wordsShown } from '../../core/stop-object.ts';
import { type AccountCaps, type AccountMarks, credits } from '../../ledger/ledger.ts';
import { commandLine, shellWord } from '../../lib/command-line.ts';
import { distrustOfFolder, ownedByAnother } from '../../lib/file-trust.ts';
import { type DocumentKind, readDocument, type YamlDocument } from '../../lib/yaml/document.ts';
import type { AccountObject } from '../../objects/account-object.ts';
import { type Limits, perSecondOf } from '../limits/limits.ts';
import { describeKey, type KeySource } from './account-key.ts';
import {
  type AccountEntry,
  type AccountsFile,
  accountsSchema,
  REGIONS,
  type Receiver,
  type Region,
  SANDBOX_NAMES,
  SANDBOX_VENDORS,
  type SecretEntry,
} from './accounts-file.ts';

export { describeKey, resolveKey, resolveSecrets, usableKey } from './account-key.ts';
export { accountsSchema, addressProblem, REGIONS, type Receiver } from './accounts-file.ts';

interface AddressParts {
  readonly vendor: Vendor;
  /** The base address; with a connected account the address of the service's step. */
  readonly baseUrl: URL;
  readonly organizationId?: string | undefined;
  readonly connectedAccount?: string | undefined;
}

/**
 * The marks by which a store recognises the account, and the identity that the account gets in a store which
 * knows none of them: the account's `id`, else vendor, origin, organization and connected account. The format
 * is frozen, like that of the call key.
 */
export function identityOf(name: string, id: string | undefined, parts: AddressParts) {
  const { vendor, baseUrl, organizationId, connectedAccount } = parts;
  const address = canonicalJson([vendor, baseUrl.origin, organizationId ?? null, connectedAccount ?? null]);
  const marks: AccountMarks = { name, address, ...present({ id }) };
  return { marks, identity: id === undefined ? address : canonicalJson(['id', id]) };
}

/** A connected vendor account: its address, its limits and its price. Its key is read by `account-key.ts`. */
export interface Account {
  readonly name: string;
  /**
   * Part of every call key. A store that knows the account decides it; before that, it is the identity of a
   * new account.
   */
  readonly identity: string;
  /** Absent for the sandbox. */
  readonly marks?: AccountMarks;
  readonly vendor: Vendor;
  /**
   * Absent for the sandbox: its address is known once it is started. With `via` it is the address of the
   * service's step.
   */
  readonly baseUrl?: URL;
  /** Absolute path of the file with the differences from the built-in dialect of the vendor. */
  readonly dialectPath?: string;
  /**
   * The service through which the vendor is reached. Key, organization and project then belong to that
   * account.
   */
  readonly via?: {
    readonly service: string;
    /** The name that the service has for the vendor's account. */
    readonly connectedAccount: string;
    readonly dialectPath?: string;
  };
  /** Only we spend with this key, so the vendor counts only our calls. */
  readonly exclusiveKey?: true;
  readonly sandbox: boolean;
  readonly key: KeySource;
  /** What fills the slots of the dialect, by their names; absent where the file names none. */
  readonly secrets?: Readonly<Record<string, KeySource>>;
  readonly limits: Limits;
  /** How long a whole request may take, until its last byte is there; without it a minute. */
  readonly timeoutMs?: number;
  /** How long bought answers are kept; without it for ever. */
  readonly retentionMs?: number;
  readonly budget: AccountCaps;
  /** The price of a credit for its owner, shown beside credits. */
  readonly price?: CreditPrice;
  readonly region?: Region;
  readonly organizationId?: string;
  /** The project for invites that name none. */
  readonly projectId?: string;
  /** Address of a service's API reference. */
  readonly documentationUrl?: string;
  /** Flags with which the sandbox is started; empty for a real vendor. */
  readonly sandboxFlags: readonly string[];
}

export interface Accounts {
  /** Path of the accounts file, whether it exists or not. */
  readonly path: string;
  /** The accounts of the file, in its order; those of the sandbox always exist as well. */
  readonly configured: readonly Account[];
  /** The service's address by region; absent when the file names none. */
  readonly regions?: readonly RegionAddress[];
  /**
   * Receivers that jobs may notify, by name; absent when the file names none. A command runs in the folder of
   * the file.
   */
  readonly notify?: ReadonlyMap<string, Receiver>;
  /** Inboxes by name, relative to the file; absent when the file names none. */
  readonly inboxes?: ReadonlyMap<string, string>;
}

export interface RegionAddress {
  readonly region: Region;
  readonly baseUrl: URL;
  readonly documentationUrl: string;
}

export const ACCOUNTS_FILE: DocumentKind = { code: 'account', name: 'accounts file' };

/**
 * A kill leaves at most this many calls in doubt. Eight calls in flight carry 20 requests a second to a
 * vendor that takes 400 ms for each.
 */
const DEFAULT_CONCURRENCY = 8;

/** Nothing is at risk in the sandbox, so speed decides. */
const SANDBOX_CONCURRENCY = 32;

/** Slow enough that a user can watch a sample being enriched, and stop it. */
const DEFAULT_SANDBOX_FLAGS = '--rate 100/s --latency 20ms';

/**
 * The accounts of the file; none when there is no file.
 * @throws StopError `account` when others may read or replace the file, or when something in it is wrong.
 */
export async function loadAccounts(path: string = accountsPath()): Promise<Accounts> {
  if (!(await isPrivateFile(path))) return { path, configured: [] };
  return accountsOf(await readDocument(path, accountsSchema, ACCOUNTS_FILE));
}

/**
 * The public description of an account, for a person or a program.
 * @param problem the problem with its dialect.
 */
export function accountObject(account: Account, problem?: StopError): AccountObject {
  const { name, vendor, sandbox, via, limits, budget, price, secrets } = account;
  const within = (ms: number) => limits.windows.find(({ windowMs }) => windowMs === ms)?.requests ?? null;
  return {
    name,
    vendor,
    sandbox,
    address: account.baseUrl?.href ?? null,
    region: account.region ?? null,
    documentation: account.documentationUrl ?? null,
    organization: account.organizationId ?? null,
    project: account.projectId ?? null,
    via: via?.service ?? null,
    connected_account: via?.connectedAccount ?? null,
    dialect: account.dialectPath ?? null,
    problem: problem ? wordsShown(problem.detail) : null,
    limits: {
      per_second: within(1_000),
      per_minute: within(60_000),
      per_hour: within(3_600_000),
      per_day: within(86_400_000),
      concurrency: limits.concurrency,
    },
    budget: { per_day: budget.perDay ?? null, per_month: budget.perMonth ?? null },
    price: price ? `${price.amount} ${price.currency}` : null,
    key: describeKey(account.key),
    ...(secrets && { secrets: mapped(secrets, describeKey) }),
  };
}

/** @throws StopError `account` for an account without an address, which a schema cannot find. */
export function accountsOf(document: YamlDocument<AccountsFile>): Accounts {
  const entries = Object.entries(document.value?.accounts ?? {});
  const regions = regionsOf(document);
  const { notify, inboxes } = document.value ?? {};
  return {
    path: document.path,
    configured: entries.map(([name, entry]) => accountOf(name, entry, document)),
    ...(regions.length === 0 ? {} : { regions }),
    ...present({
      notify: notify && new Map(Object.entries(notify)),
      inboxes: inboxes && new Map(Object.entries(inboxes)),
    }),
  };
}

function regionsOf({ value }: AccountsDocument): readonly RegionAddress[] {
  return REGIONS.flatMap((region) => {
    const address = value?.regions?.[region];
    if (address === undefined) return [];
    const baseUrl = new URL(address);
    return [{ region, baseUrl, documentationUrl: documentationOf(baseUrl) }];
  });
}

const refusedAccount = (fact: Words, next: Advice): StopError =>
  stop('account', phrase`${asPhrase(fact).map(capital)}.`, next);

/**
 * The account that a job means: the account that it names, else the only one that fits.
 * @throws StopError `account` with a list of the accounts, or what `refused` makes of an account that is
 *   named.
 */
export function chooseAccount(
  accounts: Accounts,
  vendor: Vendor,
  wanted?: string,
  refused = refusedAccount,
): Account {
  const fitting = accounts.configured.filter((account) => account.vendor === vendor);
  const names = fitting.map(({ name }) => name);
  if (wanted !== undefined) {
    const found = findAccount(accounts, wanted, refused);
    if (found.vendor === vendor) return found;
    const fact = `the account ${wanted} is a ${found.vendor} account, but this needs a ${vendor} account`;
    const others = [...names, `sandbox-${vendor}`];
    const next = `Use ${others.join(' or ')}.`;
    throw refused(fact, { next, again: { typed: wanted, meant: others[0] ?? '' } });
  }
  const [only, ...others] = fitting;
  if (only === undefined) {
    const help = commandLine(['accounts', 'add', '--help']);
    const next = phrase`Try it for free ${byFlag('--account', `sandbox-${vendor}`)}, or see how one is
      added.`;
    throw stop('account', phrase`There is no ${vendor} account${typing` in ${accounts.path}`}.`, next, help);
  }
  if (others.length === 0) return only;
  const fact = `There are several ${vendor} accounts: ${names.join(', ')}.`;
  throw stop('account', fact, phrase`Name one${typing` ${byFlag('--account')}, or in the job`}.`);
}

export function findAccount(accounts: Accounts, name: string, refused = refusedAccount): Account {
  const played = SANDBOX_VENDORS.find((vendor) => name === `sandbox-${vendor}`);
  if (played !== undefined) return sandboxAccount(played);
  const found = accounts.configured.find((account) => account.name === name);
  if (found !== undefined) return found;
  const known = [...accounts.configured.map((account) => account.name), ...SANDBOX_NAMES];
  throw refused(
    phrase`there is no account ${foreignName(name)}${typing` in ${accounts.path}`}`,
    meantWord(name, known),
  );
}

/** The built-in accounts, each with a sandbox of its own. */
export const sandboxAccounts = (): readonly Account[] => SANDBOX_VENDORS.map(sandboxAccount);

/** The built-in account of that vendor. `$ROWONCE_SANDBOX` replaces the flags of the sandbox. */
export function sandboxAccount(vendor: (typeof SANDBOX_VENDORS)[number]): Account {
  const dialectPath = shippedDialect(vendor);
  const flags = (process.env.ROWONCE_SANDBOX ?? DEFAULT_SANDBOX_FLAGS)
    .split(/\s+/)
    .filter((flag) => flag !== '');
  return {
    name: `sandbox-${vendor}`,
    identity: `sandbox-${vendor}`,
    vendor: vendor === 'service' ? 'service' : 'provider',
    sandbox: true,
    key: { kind: 'sandbox' },
    limits: { concurrency: SANDBOX_CONCURRENCY, windows: sandboxWindows(flags) },
    budget: {},
    sandboxFlags: dialectPath === undefined ? flags : ['--vendor', vendor, ...flags],
    ...present({ dialectPath }),
    ...(vendor === 'service' ? { organizationId: 'org-sandbox', projectId: 'proj-sandbox' } : {}),
  };
}

/** The sandbox's own limit, so that it is kept from the start and not learned from refusals. */
function sandboxWindows(flags: readonly string[]): Limits['windows'] {
  const at = flags.findLastIndex((flag) => flag === '--rate' || flag.startsWith('--rate='));
  const rate = flags[at]?.split('=')[1] ?? flags[at + 1];
  return at === -1 || rate === undefined ? [] : [parseRate(rate)];
}

type AccountsDocument = YamlDocument<AccountsFile>;

function accountOf(name: string, entry: AccountEntry, document: AccountsDocument): Account {
  if (entry.vendor === 'provider' && entry.via !== undefined) {
    return accountThrough(name, entry, serviceOf(name, entry.via, document), document);
  }
  const baseUrl = baseUrlOf(name, entry, document);
  const service = entry.vendor === 'service' ? entry : undefined;
  const organizationId = service?.organization_id;
  return {
    ...ownPartsOf(name, entry, document),
    ...identityOf(name, entry.id, { vendor: entry.vendor, baseUrl, organizationId }),
    baseUrl,
    key: keySourceOf(entry, dirname(document.path)),
    ...(entry.secrets && { secrets: secretsOf(entry.secrets, dirname(document.path)) }),
    ...present({ region: service?.region, organizationId, projectId: service?.project_id }),
    ...(service === undefined ? {} : { documentationUrl: documentationOf(baseUrl) }),
  };
}

function ownPartsOf(name: string, entry: AccountEntry, { path }: AccountsDocument) {
  const { vendor, limits = {}, budget = {}, dialect, retention: retentionMs, price } = entry;
  const windows = WINDOWS.flatMap(({ name: window, windowMs }) => {
    const requests = limits[window];
    return requests === undefined ? [] : [{ requests, windowMs }];
  });
  return {
    name,
    vendor,
    sandbox: false,
    sandboxFlags: [],
    limits: { concurrency: limits.concurrency ?? DEFAULT_CONCURRENCY, windows },
    budget: present({
      perDay: budget.per_day === undefined ? undefined : credits(budget.per_day),
      perMonth: budget.per_month === undefined ? undefined : credits(budget.per_month),
    }),
    ...present({
      timeoutMs: limits.timeout,
      retentionMs,
      price,
      dialectPath: dialect && (shippedDialect(dialect) ?? resolve(dirname(path), dialect)),
      exclusiveKey: entry.exclusive_key === true ? (true as const) : undefined,
    }),
  };
}

type ProviderEntry = AccountEntry & { readonly vendor: 'provider' };

/** The schema has made sure that an entry with `via` has the other two names. */
function accountThrough(
  name: string,
  entry: ProviderEntry,
  service: Account,
  document: AccountsDocument,
): Account {
  const { api_call_url: address = '', connected_account: connectedAccount = '' } = entry;
  const baseUrl = new URL(address);
  const { organizationId, projectId, dialectPath } = service;
  return {
    ...ownPartsOf(name, entry, document),
    ...identityOf(name, entry.id, { vendor: entry.vendor, baseUrl, organizationId, connectedAccount }),
    baseUrl,
    key: service.key,
    ...present({ secrets: service.secrets }),
    via: { service: service.name, connectedAccount, ...present({ dialectPath }) },
    ...present({ organizationId, projectId }),
  };
}

function serviceOf(name: string, via: string, document: AccountsDocument): Account {
  const entries = Object.entries(document.value?.accounts ?? {});
  const services = entries.flatMap(([each, { vendor }]) => (vendor === 'service' ? [each] : []));
  const found = entries.find(([each]) => each === via)?.[1];
  if (found?.vendor === 'service') return accountOf(via, found, document);
  const fact =
    found === undefined
      ? `there is no account ${foreignName(via)}`
      : `account ${via} is not an account of the service`;
  const next =
    services.length === 0 ? 'Add the service account, with vendor: service.' : meantWord(via, services);
  throw document.problem(['accounts', name, 'via'], 'value', `accounts.${name}.via: ${fact}`, next);
}

/**
 * `base_url`, else the address of the region. Both at once must agree, or a key could go to the wrong place.
 */
function baseUrlOf(name: string, entry: AccountEntry, { value, problem }: AccountsDocument): URL {
  const region = entry.vendor === 'service' ? entry.region : undefined;
  const ofRegion = region === undefined ? undefined : value?.regions?.[region];
  const address = entry.base_url ?? ofRegion;
  if (address === undefined) {
    const [of, or] =
      region === undefined ? ['', ''] : [` of region ${region}`, `, or regions: { ${region}: https://… }`];
    const fact = phrase`${typing`accounts.${name}: `}the address${of} is missing`;
    throw problem(
      ['accounts', name],
      'name',
      fact,
      phrase`Add ${asField('base_url', 'it')}${typing`${or}`}.`,
    );
  }
  const url = new URL(address);
  if (ofRegion !== undefined && new URL(ofRegion).href !== url.href) {
    const where = phrase`${typing`accounts.${name}: `}${asField('base_url', 'the address')}`;
    const fact = phrase`${where} is ${address}, but region ${region ?? ''} is at ${ofRegion}`;
    throw problem(
      ['accounts', name, 'base_url'],
      'value',
      fact,
      phrase`Keep ${asField('base_url', 'the address')} or the region.`,
    );
  }
  return url;
}

function documentationOf(baseUrl: URL): string {
  return `${baseUrl.href.replace(/\/+$/, '')}/latest/documentation`;
}

function keySourceOf(
  { key, key_env: variable, key_command: words }: Pick<AccountEntry, 'key' | 'key_env' | 'key_command'>,
  folder: string,
): KeySource {
  if (variable !== undefined) return { kind: 'environment', variable };
  if (words !== undefined) return { kind: 'command', words, folder };
  return { kind: 'file', reveal: () => key ?? '' };
}

function secretsOf(entries: Readonly<Record<string, SecretEntry>>, folder: string) {
  return mapped(entries, ({ value: key, env, command }) =>
    keySourceOf({ ...present({ key, key_env: env, key_command: command }) }, folder),
  );
}

const mapped = <From, To>(entries: Readonly<Record<string, From>>, to: (each: From) => To) =>
  Object.fromEntries(Object.entries(entries).map(([name, each]) => [name, to(each)]));

const WINDOWS = [
  { name: 'per_second', windowMs: 1000 },
  { name: 'per_minute', windowMs: 60_000 },
  { name: 'per_hour', windowMs: 3_600_000 },
  { name: 'per_day', windowMs: 86_400_000 },
] as const;

/**
 * Refuses a file that others can read or replace; false when there is no file. Mode bits mean nothing on
 * Windows.
 */
async function isPrivateFile(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  // Reading the file will report any other problem.
  if (found instanceof Error) return found.code !== 'ENOENT' && found.code !== 'ENOTDIR';
  const distrust =
    (found.uid === 0 ? undefined : ownedByAnother(path, found)) ?? distrustOfFolder(dirname(path), true);
  if (distrust !== undefined)
    throw stop('account', `The accounts file was not read: ${distrust.fact}.`, distrust.next);
  const open = found.mode & 0o077;
  if (open === 0 || process.platform === 'win32') return true;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  const command = `chmod 600 ${shellWord(path)}`;
  const fact = phrase`${faces(path, 'The accounts file')} can be read by other users (mode ${mode}).`;
  throw stop('account', fact, faces(phrase`Run ${asCommand(command)}`, 'Close it to others.'));
}

export function requestsPerSecond({ limits: { windows } }: Account): number | undefined {
  if (windows.length === 0) return undefined;
  return Math.min(...windows.map(perSecondOf));
}
