import type { Method } from '../core/operation.ts';
import { foreignWords } from '../core/plain-text.ts';
import type { Job } from '../job/job.ts';
import type { Account } from '../vendor/account/account.ts';
import type { Dialect } from '../vendor/dialect.ts';
import { builtInDialect } from '../vendor/dialect-of.ts';
import { basePathOf } from '../vendor/request.ts';

/**
 * What a job and its dialect send that nobody could know from the name of the operation, because they say it themselves.
 * Both may come from somebody else, so it is shown before it is agreed to.
 */
export interface SentRequest {
  /** The entry of the dialect that says it. */
  readonly name: string;
  readonly method: Method;
  /** As it is sent, with `{{Column}}` and `{field}` where something is filled in. */
  readonly url: string;
  /** The service whose "API Call" step sends it on; left out: it is sent to the vendor itself. */
  readonly through?: string;
}

/** What is sent, and by whom: all that an account, its dialect and a job decide. */
export interface Sender {
  readonly job: Pick<Job, 'operation' | 'settings'>;
  readonly account: Pick<Account, 'vendor' | 'baseUrl' | 'dialectPath' | 'via'>;
  readonly dialect: Dialect;
}

/** What a person is asked about, the first time that a job or a dialect says it. */
export interface UnseenRequests {
  /** Why it is asked, as sentences. */
  readonly reasons: readonly string[];
  /** The requests that the job and its dialect say themselves. */
  readonly requests: readonly string[];
}

/** The request of an `api-call`, and those that the dialect's file sends elsewhere than the built-in one; else none. */
export async function sentRequests(sender: Sender): Promise<readonly SentRequest[]> {
  const { job, dialect, account } = sender;
  const own = isGeneric(job) ? [ownRequest(job)] : [];
  const paths =
    account.dialectPath === undefined ? [] : changedPaths(sender, await builtInDialect(dialect.vendor));
  return [...own, ...paths].map((each) => ({ ...each, ...placeOf(sender, each.url) }));
}

/** `POST https://api.example.com/tags/{{Id}} (api-call)`, of which every part may be somebody else's. */
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

/** Operations of a provider make the call of their name; those of a service make several. */
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

/** The sandbox has no address yet. Through a service the vendor's own is not known here. */
function placeOf({ account: { baseUrl, via } }: Sender, path: string): Pick<SentRequest, 'url' | 'through'> {
  if (baseUrl === undefined) return { url: path };
  const base = `${baseUrl.origin}${basePathOf(baseUrl)}`;
  return via === undefined ? { url: base + path } : { url: path, through: base };
}
