import type { Method } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import type { Job } from '../job/job.ts';
import type { Account } from '../vendor/account/account.ts';
import type { Dialect } from '../vendor/dialect.ts';
import { builtInDialect } from '../vendor/dialect-of.ts';
import { basePathOf } from '../vendor/request.ts';

/**
 * A request that the job or its dialect defines, so that the name of the operation does not tell what is sent. Another
 * person may have written both, so the user sees the request before agreeing to it.
 */
export interface SentRequest {
  /** The entry of the dialect that defines the request. */
  readonly name: string;
  readonly method: Method;
  /** The address as it is sent, with `{{Column}}` and `{field}` where a value is filled in. */
  readonly url: string;
  /** The service whose "API Call" step forwards the request; left out: it is sent to the vendor itself. */
  readonly through?: string;
}

/** The parts of a job, its account and its dialect that decide what is sent. */
export interface Sender {
  readonly job: Pick<Job, 'operation' | 'settings'>;
  readonly account: Pick<Account, 'vendor' | 'baseUrl' | 'dialectPath' | 'via'>;
  readonly dialect: Dialect;
}

/** What a person is asked to agree to before the first run of a job or a dialect. */
export interface UnseenRequests {
  /** Sentences that say why the person is asked. */
  readonly reasons: readonly string[];
  /** The requests that the job and its dialect define, as text. */
  readonly requests: readonly string[];
}

/** The request of an `api-call` job, and the requests whose address in the dialect's file differs from the built-in one. */
export async function sentRequests(sender: Sender): Promise<readonly SentRequest[]> {
  const { job, dialect, account } = sender;
  const own = isGeneric(job) ? [ownRequest(job)] : [];
  const paths =
    account.dialectPath === undefined ? [] : changedPaths(sender, await builtInDialect(dialect.vendor));
  return [...own, ...paths].map((each) => ({ ...each, ...placeOf(sender, each.url) }));
}

/** `POST https://api.example.com/tags/{{Id}} (api-call)`. Another person may have written any part of it. */
export function requestWords({ name, method, url, through }: SentRequest): string {
  const by = through === undefined ? '' : `, by the "API Call" step at ${foreignWords(through)}`;
  return `${method} ${foreignWords(url)}${by} (${name})`;
}

export function isGeneric({ operation }: Pick<Job, 'operation'>): boolean {
  return operation.name === 'api-call';
}

function ownRequest({ operation: { name }, settings = {} }: Sender['job']): SentRequest {
  const { method = 'POST', endpoint = '/' } = settings;
  return { name, method: method as Method, url: String(endpoint) };
}

/** The requests that differ from the built-in dialect. A provider's operation makes one kind of call; a service's several. */
function changedPaths({ job: { operation }, dialect }: Sender, builtIn: Dialect): readonly SentRequest[] {
  const asked = Object.entries(dialect.operations).filter(
    ([name]) => name === operation.name || (dialect.vendor === 'service' && operation.vendor === 'service'),
  );
  const { usage, whoami, list_users, list_invites } = dialect;
  const free = Object.entries({ usage, whoami, list_users, list_invites });
  return [
    ...asked.flatMap(([name, entry]) => [
      ...changed(name, entry, builtIn.operations[name]),
      ...changed(`read_back of ${name}`, entry.read_back, builtIn.operations[name]?.read_back),
    ]),
    ...free.flatMap(([name, shape]) => changed(name, shape, builtIn[name as 'usage'])),
  ].filter((each) => !(each.name === operation.name && isGeneric({ operation })));
}

type Shape = Pick<SentRequest, 'method'> & { readonly path: string };

function changed(name: string, shape: Shape | undefined, builtIn: Shape | undefined): readonly SentRequest[] {
  if (shape === undefined) return [];
  const { method, path } = shape;
  return method === builtIn?.method && path === builtIn.path ? [] : [{ name, method, url: path }];
}

/**
 * The full address. A sandbox has none before it starts, and the vendor's own address is not known when a service forwards
 * the request.
 */
function placeOf({ account: { baseUrl, via } }: Sender, path: string): Pick<SentRequest, 'url' | 'through'> {
  if (baseUrl === undefined) return { url: path };
  const base = `${baseUrl.origin}${basePathOf(baseUrl)}`;
  return via === undefined ? { url: base + path } : { url: path, through: base };
}
