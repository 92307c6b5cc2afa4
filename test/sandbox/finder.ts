import { canonicalJson, isMembers, type JsonMembers } from '../../src/sandbox/json.ts';
import type { Knowledge } from '../../src/sandbox/provider.ts';
import { type ProviderDialect, publishedProvider } from '../../src/sandbox/provider.ts';
import { randomFrom } from '../../src/sandbox/random.ts';
import {
  ifValid,
  problemOfIdentifiers,
  problemOfStrings,
  rejection,
  type SandboxDecision,
  type VendorOperation,
} from '../../src/sandbox/vendor.ts';

/**
 * One finder of addresses beside others: the published provider, which also finds. What it finds is like that of no finder with
 * another seed, so that a cell tells whose it is. It may charge for misses, or answer later. Another one checks addresses.
 */

export const finderProvider = (knowledge: Knowledge): ProviderDialect => finder(knowledge, 0);
export const finderPaidForMisses = (knowledge: Knowledge): ProviderDialect => finder(knowledge, 1);

const SHARED = { vendor: 'provider', method: 'POST', authorization: ['Bearer <key>'] } as const;

const INPUTS = ['first_name', 'last_name', 'full_name', 'domain'];

const finder = (knowledge: Knowledge, missCredits: number): ProviderDialect =>
  beside(
    knowledge,
    finding((body) => emailOf(knowledge, body) ?? { ...missOf(knowledge, body), credits: missCredits }),
  );

/** The published provider with further operations. */
function beside(knowledge: Knowledge, ...further: readonly VendorOperation[]): ProviderDialect {
  const { operations, ...published } = publishedProvider(knowledge);
  return { ...published, operations: [...operations, ...further] };
}

function finding(find: (body: JsonMembers) => SandboxDecision): VendorOperation {
  const problemOf = (body: JsonMembers) => problemOfIdentifiers(body, INPUTS);
  const decide = ifValid(problemOf, ({ body }) => find(body));
  return { ...SHARED, name: 'find-email', path: '/find/email', decide };
}

function emailOf({ seed, matchRate }: Knowledge, body: JsonMembers): SandboxDecision | undefined {
  const random = randomFrom(seed, 'find-email', canonicalJson(body));
  if (random.fraction() >= matchRate) return undefined;
  const { first_name: first, last_name: last, full_name: name = `${first}.${last}`, domain } = body;
  const email = `${name}.${seed}@${domain}`.toLowerCase().replaceAll(' ', '.');
  return { status: 200, credits: 1, body: { data: { email } } };
}

function missOf({ seed }: Knowledge, body: JsonMembers): Pick<SandboxDecision, 'status' | 'body'> {
  const isEmpty = randomFrom(seed, 'no match', canonicalJson(body)).fraction() < 0.5;
  return isEmpty ? { status: 200, body: {} } : { status: 404, body: { error: 'No match' } };
}

/** Charges for what it accepts, where it will find something, and says by its id what was found. */
export function laterFinder(knowledge: Knowledge): ProviderDialect {
  const accepting = finding((body) => {
    const id = idOf({ question: body, at: Date.now() });
    return { status: 200, body: { id }, credits: emailOf(knowledge, body)?.credits ?? 0 };
  });
  const problemOf = (body: JsonMembers) => problemOfStrings(body, ['id']);
  const decide = ifValid(problemOf, ({ body: { id } }) => foundBy(String(id), knowledge));
  const answering = { ...SHARED, name: 'found-email', path: '/find/email/found', decide };
  return beside(knowledge, accepting, answering);
}

function foundBy(id: string, knowledge: Knowledge): SandboxDecision {
  const job = jobOf(id);
  if (job === undefined) return rejection(404, 'There is no such job.');
  if (Date.now() - job.at < WORKS_FOR_MS) return { status: 202, body: { status: 'working' }, credits: 0 };
  const { body = { data: { email: null } } } = emailOf(knowledge, job.question) ?? {};
  return { status: 200, body, credits: 0 };
}

const WORKS_FOR_MS = 300;

/** What was asked, and when. The id says it all, so that the vendor need not remember it. */
interface FindJob {
  readonly question: JsonMembers;
  readonly at: number;
}

const idOf = (job: FindJob): string => Buffer.from(JSON.stringify(job)).toString('base64url');

/** @returns undefined for an id that no laterFinder gave. */
export function jobOf(id: string): FindJob | undefined {
  try {
    const job = JSON.parse(Buffer.from(id, 'base64url').toString());
    return isMembers(job) ? (job as unknown as FindJob) : undefined;
  } catch {
    return undefined;
  }
}

/** Says of an address whether mail comes to it. */
export function checker(knowledge: Knowledge): ProviderDialect {
  const problemOf = (body: JsonMembers) => problemOfStrings(body, ['email']);
  const decide = ifValid(problemOf, ({ body: { email } }) => {
    return { status: 200, body: { data: { verdict: verdictOn(knowledge, String(email)) } }, credits: 1 };
  });
  return beside(knowledge, { ...SHARED, name: 'check-email', path: '/check/email', decide });
}

export function verdictOn({ seed }: Knowledge, email: string): 'valid' | 'accept_all' | 'invalid' {
  const drawn = randomFrom(seed, 'verdict', email).fraction();
  if (drawn < 0.2) return 'invalid';
  return drawn < 0.4 ? 'accept_all' : 'valid';
}
