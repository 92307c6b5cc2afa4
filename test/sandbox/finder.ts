import { canonical, type JsonMembers } from '../../src/sandbox/json.ts';
import type { Knowledge } from '../../src/sandbox/knowledge.ts';
import { type ProviderDialect, publishedProvider } from '../../src/sandbox/provider.ts';
import { randomFrom } from '../../src/sandbox/random.ts';
import {
  checked,
  problemOfIdentifiers,
  type SandboxDecision,
  type VendorOperation,
} from '../../src/sandbox/vendor.ts';

/**
 * One finder of addresses beside others: the published provider, which also finds. What it finds is like that of no finder with
 * another seed, so that a cell tells whose it is. It may charge for misses.
 */

export const finderProvider = (knowledge: Knowledge): ProviderDialect => finder(knowledge, 0);
export const finderPaidForMisses = (knowledge: Knowledge): ProviderDialect => finder(knowledge, 1);

const INPUTS = ['first_name', 'last_name', 'full_name', 'domain'];

function finder(knowledge: Knowledge, missCredits: number): ProviderDialect {
  const { operations, ...published } = publishedProvider(knowledge);
  const finding: VendorOperation = {
    vendor: 'provider',
    name: 'find-email',
    method: 'POST',
    path: '/find/email',
    authorization: ['Bearer <key>'],
    decide: checked(
      (body) => problemOfIdentifiers(body, INPUTS),
      ({ body }) => emailOf(knowledge, body) ?? { ...missOf(knowledge, body), credits: missCredits },
    ),
  };
  return { ...published, operations: [...operations, finding] };
}

function emailOf({ seed, matchRate }: Knowledge, body: JsonMembers): SandboxDecision | undefined {
  const random = randomFrom(seed, 'find-email', canonical(body));
  if (random.fraction() >= matchRate) return undefined;
  const { first_name: first, last_name: last, full_name: name = `${first}.${last}`, domain } = body;
  const email = `${name}.${seed}@${domain}`.toLowerCase().replaceAll(' ', '.');
  return { status: 200, credits: 1, body: { data: { email } } };
}

function missOf({ seed }: Knowledge, body: JsonMembers): Pick<SandboxDecision, 'status' | 'body'> {
  const isEmpty = randomFrom(seed, 'no match', canonical(body)).fraction() < 0.5;
  return isEmpty ? { status: 200, body: {} } : { status: 404, body: { error: 'No match' } };
}
