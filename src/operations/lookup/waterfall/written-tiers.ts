import { suggestion } from '../../../core/nearest.ts';
import { foreignName, listed } from '../../../core/plain-text.ts';

interface WaterfallProblem {
  readonly message: string;
  readonly next: string;
}

/** Stands before the identifiers of a tier of which a row need not have every one: `all:email+profile_url`. */
const ALL = 'all:';

export function tierOfAll(members: readonly string[]): string {
  return `${ALL}${members.join('+')}`;
}

export function tierWords(tier: string): string {
  const { members, isAll } = readTier(tier);
  return isAll ? `whatever the row has of ${listed(members)}` : members.join('+');
}

export interface WrittenTier {
  readonly members: readonly string[];
  /** Those of its members that a row has go into the call; otherwise a row without one of them has no such call. */
  readonly isAll: boolean;
}

function readTier(tier: string): WrittenTier {
  const isAll = tier.startsWith(ALL);
  const members = (isAll ? tier.slice(ALL.length) : tier).split('+').map((member) => member.trim());
  // Of one member, both mean the same.
  return { members, isAll: isAll && members.length > 1 };
}

/** A job's waterfall is read once, and not for each of its rows. */
export function writtenTiers(waterfall: readonly string[]): readonly WrittenTier[] {
  const known = READ.get(waterfall);
  if (known !== undefined) return known;
  const written = waterfall.map(readTier);
  READ.set(waterfall, written);
  return written;
}

const READ = new WeakMap<readonly string[], readonly WrittenTier[]>();

/**
 * Looks at a job's waterfall before any row is read; undefined when it may be used. `tiers` are the operation's. What it
 * lets through stays under the 20 calls of a row: four identifiers have 15 combinations, and no row asks by one twice.
 */
export function checkWaterfall(
  tiers: readonly string[],
  waterfall: readonly string[],
): WaterfallProblem | undefined {
  if (tiers.length === 0) {
    return { message: 'this operation has no waterfall', next: 'Remove `waterfall` from the job.' };
  }
  const choice = `Use one or more of ${tiers.join(', ')}; join two with "+" to send both in one call, or write { all: […] } to send whichever ones a row has.`;
  if (waterfall.length === 0) return { message: 'the waterfall is empty', next: choice };
  return unknownMember(tiers, waterfall) ?? repeatedTier(waterfall, choice);
}

function unknownMember(tiers: readonly string[], waterfall: readonly string[]): WaterfallProblem | undefined {
  const unknown = waterfall
    .flatMap((tier) => readTier(tier).members)
    .find((member) => !tiers.includes(member));
  if (unknown === undefined) return undefined;
  const message = `the waterfall names ${foreignName(unknown)}, which this operation does not know`;
  return { message, next: suggestion(unknown, tiers) };
}

function repeatedTier(waterfall: readonly string[], choice: string): WaterfallProblem | undefined {
  const seen = new Map<string, string>();
  for (const tier of waterfall) {
    const { members: written, isAll } = readTier(tier);
    const members = written.toSorted();
    if (new Set(members).size < members.length) {
      return { message: `the waterfall joins an identifier to itself in ${foreignName(tier)}`, next: choice };
    }
    // `abn+domain` and `domain+abn` are one call: the second could only repeat the answer of the first.
    const same = isAll ? tierOfAll(members) : members.join('+');
    const earlier = seen.get(same);
    if (earlier !== undefined) {
      const message = `the waterfall names ${foreignName(tier)} after ${foreignName(earlier)}, which is the same call`;
      return { message, next: `Remove one ${foreignName(tier)} from the waterfall.` };
    }
    seen.set(same, tier);
  }
  return undefined;
}
