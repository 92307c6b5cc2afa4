import { z } from 'zod';
import { PRICE, priceOf } from '../../core/money.ts';
import { PLAYED_VENDORS } from '../../core/played-vendors.ts';
import { parseDurationMs } from '../../lib/duration.ts';
import { opt, optBlock } from '../../lib/yaml/schema-problem.ts';
import { isSlot } from '../slots.ts';

/** The schema of `accounts.yaml`. `account.ts` turns an entry into an account. */

export const REGIONS = ['AU', 'EU', 'US'] as const;

export type Region = (typeof REGIONS)[number];

/** The sandbox's own two vendors, and those that it plays by a shipped dialect. */
export const SANDBOX_VENDORS = ['provider', 'service', ...PLAYED_VENDORS] as const;

/** The program starts these itself, so a user cannot configure them. */
export const SANDBOX_NAMES: readonly string[] = SANDBOX_VENDORS.map((vendor) => `sandbox-${vendor}`);

/**
 * Each concurrent call needs a socket, and may stay in doubt: beyond this number a kill would put too much at
 * risk.
 */
const MOST_CONCURRENCY = 256;

const address = z.string().superRefine((text, context) => {
  const problem = addressProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem.fact, params: problem });
});

/** A duration in milliseconds, from `least` to `most`. */
const durationMs = (error: string, least: number, most = Number.POSITIVE_INFINITY) =>
  z
    .string()
    .transform((text) => parseDurationMs(text) ?? -1)
    .refine((ms) => ms >= least && ms <= most, { error });

/** Below a second every answer would be lost. Above an hour a run would seem never to end. */
const timeout = durationMs('write a timeout as 30s or 2m, from 1s to 1h', 1_000, 3_600_000);

/** The next run of the same list needs answers that are younger than a day. */
const retention = durationMs('write a retention as 400d, at least one day', 86_400_000);

const price = z
  .string()
  .regex(PRICE, { error: 'write the price of a credit as 0.04 AUD' })
  .transform(priceOf);

const rate = z.int().min(1).optional();
const cap = z.int().min(0).optional();
const line = z
  .string()
  .min(1)
  .regex(/^\P{Cc}+$/u, 'it contains a control character');

/**
 * The command runs without a shell, so syntax that only a shell understands is refused instead of being
 * passed on.
 */
const commandLine = line
  .regex(/^[^'"`$|&;<>(){}*?\\~#]+$/u, {
    error:
      'it runs without a shell, so quotes, variables, pipes and wildcards do not work; write a list of words',
  })
  .transform((text) => text.trim().split(/ +/));
const command = z.union([commandLine, z.array(line).min(1)]);

const variable = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, 'it must be the name of an environment variable, not the key');

/** What a slot of the dialect is filled with. */
const secret = z
  .strictObject({
    value: opt(z.string(), 'the secret itself'),
    env: opt(variable, 'the environment variable that holds it'),
    command: opt(command, 'a program and its arguments, which prints it, as for `key_command`'),
  })
  .refine((given) => Object.keys(given).length === 1, { error: 'write a value, an env or a command' });

export type SecretEntry = z.infer<typeof secret>;

const shared = {
  id: opt(
    line.max(200),
    'what makes it this account; left out: ' +
      'vendor, address, organization and connected account, never its name',
  ),
  dialect: opt(
    line,
    'a file with what differs from the built-in dialect of the vendor, relative to this one, ' +
      'or the word of one that is shipped, such as `hunter`',
  ),
  base_url: opt(address, 'where the API is; https, but for addresses of this machine'),
  key: opt(z.string(), 'the key itself'),
  key_env: opt(variable, 'the environment variable that holds the key'),
  key_command: opt(
    command,
    'a program and its arguments, which prints the key; run without a shell, in the folder of this file',
  ),
  secrets: opt(
    z.record(
      z
        .string()
        .refine(isSlot, 'a secret has a name of small letters, digits and "_", and another than `key`'),
      secret,
    ),
    'what else the vendor asks for besides the key, by the names of the slots of the dialect, ' +
      'such as `{ user: { env: VENDOR_USER } }`',
  ),
  limits: optBlock('what the plan at the vendor allows', {
    per_second: rate.describe('requests in any second'),
    per_minute: rate.describe('requests in any minute'),
    per_hour: rate.describe('requests in any hour'),
    per_day: rate.describe('requests in any 24 hours'),
    concurrency: opt(
      z.int().min(1).max(MOST_CONCURRENCY),
      'requests at the same time, 8 by default; a kill may leave this many in doubt',
    ),
    timeout: opt(
      timeout,
      'the timeout of a request, from `1s` to `1h`; a minute by default; after it, a call is in doubt',
    ),
  }),
  budget: optBlock('limits over all batches', {
    per_day: cap.describe('credits of a day (UTC)'),
    per_month: cap.describe('credits of a month (UTC)'),
  }),
  exclusive_key: opt(
    z.boolean(),
    '`true`: no other program spends with this key, so the vendor counts what Rowonce did',
  ),
  retention: opt(
    retention,
    'how long what was bought is kept, such as `400d`, a day at least: ' +
      'what is older is erased at the end of `run` and `nightly`, and may be bought again; left out: ' +
      'for ever',
  ),
  price: opt(price, 'what a credit costs you, such as `0.04 AUD`, so that money is said beside credits'),
};

const KEYS = ['key', 'key_env', 'key_command'] as const;
const BESIDE_VIA = ['connected_account', 'api_call_url'] as const;

/** Checks settings that depend on each other: an entry has either one key, or a service that has the key. */
function checkEntry(entry: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx): void {
  const refuse = (message: string, next: string, ...path: readonly string[]): void =>
    context.addIssue({ code: 'custom', message, params: { next }, path: [...path] });
  const given = (names: readonly string[]): readonly string[] =>
    names.filter((name) => entry[name] !== undefined);
  const keys = given(KEYS);
  const [beside] = given(BESIDE_VIA);
  if (entry.via !== undefined) {
    const [ownEntry] = given(['base_url', ...KEYS, 'secrets']);
    const missing = BESIDE_VIA.find((name) => entry[name] === undefined);
    if (ownEntry !== undefined)
      refuse(
        'an account with via has no address and no key',
        'Leave it out: the service has both.',
        ownEntry,
      );
    else if (missing !== undefined)
      refuse(`${missing} is missing beside via`, `Add a line that begins with ${missing}:.`);
  } else if (beside !== undefined) {
    const next = 'Add via: with the name of the service account, or leave it out.';
    refuse('it belongs to an account with via', next, beside);
  } else if (keys.length === 0)
    refuse('the key is missing', 'Add key_env: with the name of an environment variable.');
  else if (keys.length > 1) refuse(`${keys.join(' and ')} both give a key`, 'Keep one of them.');
}

const VENDOR = '`provider` sells data, `service` manages projects and their people';

const ofService = z
  .strictObject({
    vendor: z.literal('service').describe(VENDOR),
    ...shared,
    region: opt(z.enum(REGIONS), 'of a service: AU, EU or US'),
    organization_id: opt(line, 'of a service'),
    project_id: opt(line, 'of a service: the project for invites that name none'),
  })
  .superRefine(checkEntry);

const ofProvider = z
  .strictObject({
    vendor: z.literal('provider').describe(VENDOR),
    ...shared,
    via: opt(
      line,
      'of a provider: the service account through which it is reached, with its key; ' +
        'limits and budget are its own',
    ),
    connected_account: opt(line, 'with `via`: what the service calls the account'),
    api_call_url: opt(address, 'with `via`: where the "API Call" step of the service is'),
  })
  .superRefine(checkEntry);

const name = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'a name has up to 64 letters, digits, ".", "-" and "_"');

const accountName = name.refine(
  (text) => !SANDBOX_NAMES.includes(text),
  'this name belongs to a built-in account',
);

/** A notice tells how a company works, so it leaves this machine encrypted or not at all. */
const webhook = line.superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  // `fetch` refuses an address with a password, and its error, which is shown, would quote it.
  const hasPassword = url !== undefined && url.username + url.password !== '';
  if (!isSafe) context.addIssue({ code: 'custom', message: 'a webhook begins with https://' });
  else if (hasPassword)
    context.addIssue({ code: 'custom', message: 'it must not contain a user name or a password' });
});

/** A receiver that jobs notify. The jobs know only its name. */
const receiver = z
  .strictObject({
    webhook: opt(webhook, 'an address that gets a POST with JSON; `https://`, or `http://` on this machine'),
    command: opt(
      command,
      'in its place: a program with its words, run without a shell in the folder of this file; ' +
        'it reads the JSON on its standard input',
    ),
  })
  .refine((given) => Object.keys(given).length === 1, { error: 'write a webhook or a command' });

export type Receiver = z.infer<typeof receiver>;

/** Both levels may be empty: a file looks so when a user has commented out every account. */
export const accountsSchema = z
  .strictObject({
    accounts: z
      .record(accountName, z.discriminatedUnion('vendor', [ofService, ofProvider]))
      .nullish()
      .describe('the accounts by name'),
    regions: optBlock('the addresses of the regions of the service', {
      AU: opt(address, 'address of region AU'),
      EU: opt(address, 'address of region EU'),
      US: opt(address, 'address of region US'),
    }),
    notify: opt(z.record(name, receiver), 'receivers that a job names in `notify.to`'),
    inboxes: opt(
      z.record(name, line),
      'folders that jobs may have as `inbox` outside of their own folder, by name, relative to this file',
    ),
  })
  .nullable();

export type AccountsFile = z.infer<typeof accountsSchema>;

export type AccountEntry = NonNullable<NonNullable<AccountsFile>['accounts']>[string];

/**
 * The reason why an address is refused, if it is. Keys and personal data travel to it, so the check is
 * strict.
 */
export function addressProblem(
  text: string,
): { readonly fact: string; readonly next: string; readonly meant?: string | undefined } | undefined {
  const meant = addressMeant(text);
  const example = `Write it as ${meant ?? 'https://api.example.com'}.`;
  if (!URL.canParse(text)) return { fact: 'this is not an address', next: example, meant };
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    return {
      fact: 'an address must not contain a user name or a password',
      next: 'Use key_env for the key.',
    };
  }
  if (url.search !== '' || url.hash !== '') {
    return { fact: 'an address must not contain "?" or "#"', next: example, meant };
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return undefined;
  const fact = 'the address must begin with https://, because the key is sent to it';
  return { fact, next: example, meant };
}

/**
 * The address with the beginning that it should have. A text that may hold a password or a key is not shown.
 */
function addressMeant(text: string): string | undefined {
  const [address = ''] = text.replace(/^[a-z]{0,6}:?\/+/i, '').split(/[?#]/);
  const isHost = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/[\w./-]*)?$/.test(address);
  return isHost ? `https://${address.replace(/\/+$/, '')}` : undefined;
}

/**
 * Traffic that never leaves this machine needs no encryption, such as traffic to the sandbox or to a mock of
 * a vendor.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}
