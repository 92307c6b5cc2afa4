import { z } from 'zod';
import { parseDurationMs } from '../../lib/duration.ts';
import { PRICE } from './price.ts';

/** The schema of `accounts.yaml`. `account.ts` turns an entry into an account. */

export const REGIONS = ['AU', 'EU', 'US'] as const;

export type Region = (typeof REGIONS)[number];

/** The program starts these itself, so a user cannot configure them. */
export const SANDBOX_NAMES = ['sandbox-provider', 'sandbox-service'] as const;

/** Each needs a socket, and may leave a call in doubt: beyond this a kill would put too much at risk. */
const MOST_CONCURRENCY = 256;

const address = z.string().superRefine((text, context) => {
  const problem = addressProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem.fact, params: problem });
});

/** Below a second every answer would be lost; above an hour a run would seem never to end. */
const TIMEOUT_MS = { least: 1_000, most: 3_600_000 };

const timeout = z.string().refine(
  (text) => {
    const durationMs = parseDurationMs(text) ?? 0;
    return durationMs >= TIMEOUT_MS.least && durationMs <= TIMEOUT_MS.most;
  },
  { error: 'write a timeout as 30s or 2m, from 1s to 1h' },
);

/** The next run of the same list needs answers that are younger than this. */
const LEAST_RETENTION_MS = 86_400_000;

const retention = z.string().refine((text) => (parseDurationMs(text) ?? 0) >= LEAST_RETENTION_MS, {
  error: 'write a retention as 400d, at least one day',
});

const price = z.string().regex(PRICE, { error: 'write the price of a credit as 0.04 AUD' });

const rate = z.int().min(1).optional();
const credits = z.int().min(0).optional();
const line = z
  .string()
  .min(1)
  .regex(/^\P{Cc}+$/u, 'it contains a control character');

/** The command runs without a shell, so syntax that only a shell understands is refused instead of being passed on. */
const commandLine = line
  .regex(/^[^'"`$|&;<>(){}*?\\~#]+$/u, {
    error:
      'it runs without a shell, so quotes, variables, pipes and wildcards do not work; write a list of words',
  })
  .transform((text) => text.trim().split(/ +/));

const shared = {
  id: line.max(200).optional(),
  dialect: line.optional(),
  base_url: address.optional(),
  key: z.string().optional(),
  key_env: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'it must be the name of an environment variable, not the key')
    .optional(),
  key_command: z.union([commandLine, z.array(line).min(1)]).optional(),
  limits: z
    .strictObject({
      per_second: rate,
      per_minute: rate,
      per_hour: rate,
      per_day: rate,
      concurrency: z.int().min(1).max(MOST_CONCURRENCY).optional(),
      timeout: timeout.optional(),
    })
    .optional(),
  budget: z.strictObject({ per_day: credits, per_month: credits }).optional(),
  exclusive_key: z.boolean().optional(),
  retention: retention.optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/i, 'write a country as two letters, such as AU')
    .optional(),
  price: price.optional(),
  sandbox: z.literal(true).optional(),
};

const KEYS = ['key', 'key_env', 'key_command'] as const;

type KeyEntries = { readonly [Name in (typeof KEYS)[number]]?: unknown };

/** What an account of a sandbox has no use for: its vendors take one key, and speak the built-in dialects. */
const NOT_OF_SANDBOX = [...KEYS, 'id', 'dialect', 'exclusive_key'] as const;

interface SandboxEntries extends KeyEntries {
  readonly sandbox?: true | undefined;
  readonly base_url?: string | undefined;
  readonly id?: unknown;
  readonly dialect?: unknown;
  readonly exclusive_key?: unknown;
}

/** Nobody is asked before a sandbox is, so its address cannot be that of a real vendor: the sandbox listens on this machine alone. */
function sandboxServer(entry: SandboxEntries, context: z.core.$RefinementCtx): void {
  const refuse = (path: string, message: string, next: string): void =>
    context.addIssue({ code: 'custom', path: [path], message, params: { next } });
  const stray = NOT_OF_SANDBOX.find((name) => entry[name] !== undefined);
  if (stray !== undefined) refuse(stray, 'a sandbox account has none', 'Leave it out.');
  const { base_url: address } = entry;
  if (address === undefined || !URL.canParse(address) || isLoopback(new URL(address).hostname)) return;
  const next = 'Write it as http://127.0.0.1:4810, where a sandbox listens by itself.';
  refuse('base_url', 'a sandbox must be on this machine', next);
}

function keyed(entry: SandboxEntries, context: z.core.$RefinementCtx): void {
  if (entry.sandbox === true) sandboxServer(entry, context);
  else oneKey(entry, context);
}

function oneKey(entry: KeyEntries, context: z.core.$RefinementCtx): void {
  const given = KEYS.filter((name) => entry[name] !== undefined);
  if (given.length === 1) return;
  const message = given.length === 0 ? 'the key is missing' : `${given.join(' and ')} both give a key`;
  const next =
    given.length === 0 ? 'Add key_env: with the name of an environment variable.' : 'Keep one of them.';
  context.addIssue({ code: 'custom', message, params: { next } });
}

const service = z
  .strictObject({
    vendor: z.literal('service'),
    ...shared,
    region: z.enum(REGIONS).optional(),
    organization_id: line.optional(),
    project_id: line.optional(),
  })
  .superRefine(keyed);

const provider = z
  .strictObject({
    vendor: z.literal('provider'),
    ...shared,
    via: line.optional(),
    connected_account: line.optional(),
    api_call_url: address.optional(),
  })
  .superRefine((entry, context) => {
    if (entry.via === undefined) direct(entry, context);
    else throughService(entry, context);
  });

interface RouteEntries extends SandboxEntries {
  readonly connected_account?: unknown;
  readonly api_call_url?: unknown;
}

const VIA_NAMES = ['connected_account', 'api_call_url'] as const;

function direct(entry: RouteEntries, context: z.core.$RefinementCtx): void {
  const stray = VIA_NAMES.find((name) => entry[name] !== undefined);
  if (stray === undefined) {
    keyed(entry, context);
    return;
  }
  const next = 'Add via: with the name of the service account, or leave it out.';
  context.addIssue({
    code: 'custom',
    path: [stray],
    message: 'it belongs to an account with via',
    params: { next },
  });
}

/** The service knows the vendor's address and key; the key that opens the service is the service account's. */
function throughService(entry: RouteEntries, context: z.core.$RefinementCtx): void {
  const own = (['base_url', 'sandbox', ...KEYS] as const).find((name) => entry[name] !== undefined);
  if (own !== undefined) {
    const message = 'an account with via has no address and no key';
    const next = 'Leave it out: the service has both.';
    context.addIssue({ code: 'custom', path: [own], message, params: { next } });
    return;
  }
  const missing = VIA_NAMES.find((name) => entry[name] === undefined);
  if (missing === undefined) return;
  const next = `Add a line that begins with ${missing}:.`;
  context.addIssue({ code: 'custom', message: `${missing} is missing beside via`, params: { next } });
}

const name = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'a name has up to 64 letters, digits, ".", "-" and "_"');

const accountName = name.refine(
  (text) => !SANDBOX_NAMES.some((each) => each === text),
  'this name belongs to a built-in account',
);

/** A notice says how a company works, so it leaves this machine encrypted or not at all. */
const webhook = line.superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  // `fetch` refuses an address with a password, and its error, which is shown, would quote it.
  const hasPassword = url !== undefined && url.username + url.password !== '';
  if (!isSafe) context.addIssue({ code: 'custom', message: 'a webhook begins with https://' });
  else if (hasPassword)
    context.addIssue({ code: 'custom', message: 'it must not contain a user name or a password' });
});

/** Whom jobs notify: they know the name alone. */
const receiver = z
  .strictObject({
    webhook: webhook.optional(),
    command: z.union([commandLine, z.array(line).min(1)]).optional(),
  })
  .refine((given) => Object.keys(given).length === 1, { error: 'write a webhook or a command' });

export type Receiver = z.infer<typeof receiver>;

/** Both levels may be empty: a file looks so when a user has commented out every account. */
export const accountsSchema = z
  .strictObject({
    accounts: z.record(accountName, z.discriminatedUnion('vendor', [service, provider])).nullish(),
    regions: z
      .strictObject({ AU: address.optional(), EU: address.optional(), US: address.optional() })
      .optional(),
    notify: z.record(name, receiver).optional(),
    inboxes: z.record(name, line).optional(),
  })
  .nullable();

export type AccountsFile = z.infer<typeof accountsSchema>;

export type AccountEntry = NonNullable<NonNullable<AccountsFile>['accounts']>[string];

/** Why an address is refused, if it is. Keys and personal data travel to it, so the check is strict. */
export function addressProblem(text: string): { readonly fact: string; readonly next: string } | undefined {
  const example = 'Write it as https://api.example.com.';
  if (!URL.canParse(text)) return { fact: 'this is not an address', next: example };
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    return {
      fact: 'an address must not contain a user name or a password',
      next: 'Use key_env for the key.',
    };
  }
  if (url.search !== '' || url.hash !== '') {
    return { fact: 'an address must not contain "?" or "#"', next: example };
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return undefined;
  return { fact: 'the address must begin with https://, because the key is sent to it', next: example };
}

/** Traffic that never leaves this machine needs no encryption: that to the sandbox, or to a mock of a vendor. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}
