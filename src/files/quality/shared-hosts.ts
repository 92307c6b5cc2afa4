import { finding } from '../../core/finding.ts';
import type { Findings } from '../../core/findings.ts';
import type { InputRow } from '../../core/row.ts';
import { inputOf } from '../../core/steps.ts';
import { HashPlaces } from '../../lib/hash-places.ts';
import { textHash } from '../../lib/text-hash.ts';
import { identifierText } from '../../values/blank.ts';
import { email } from '../../values/email.ts';
import { abn, registerNumber } from '../../values/number.ts';
import { profileSlug, profileUrl } from '../../values/profile.ts';
import type { Read } from '../../values/reading.ts';
import { GENERIC_WORDS, LEGAL_WORDS, PLACE_WORDS } from '../../values/same-name-words.ts';
import { behindLink, readTarget } from '../../values/web-address.ts';
import { companyColumnIn } from '../columns/column-kind.ts';

/**
 * Hosts under which a list has several companies. A place that shows many, and is on no list of ours, would
 * be bought once and stand in all of their rows. So hosts are counted while a list is read, in memory that
 * does not grow with it.
 */

/** Where a row says that a company is, and what the company is called there. */
export interface HostOfRow {
  readonly host: string;
  /** With the query and the part behind `#`; empty for the host alone. */
  readonly path: string;
  readonly name: string;
}

/** The inputs by which one company, or one person, is known whatever its host is. */
const KNOWN_BY: Readonly<Record<string, Read>> = {
  abn: abn.read,
  number: registerNumber.read,
  profile_url: profileUrl.read,
  profile_slug: profileSlug.read,
  email: email.read,
};

/** Another address within an address: it may be a redirect. */
const HOLDS_ADDRESS = /https?(?::|%3a|-3a)\/?/i;

/** The host, and the path with what follows. */
const ADDRESS = /^(?:https?:\/\/)?(?:www\.)*([^/?#:\s@]+\.[^/?#:\s@.]+)\.?(?::\d+)?([/?#].*)?$/i;

export type HostReader = (row: InputRow) => HostOfRow | undefined;

/**
 * Reads where a row stands that nothing but a host tells apart; undefined for any other row.
 * @param columns input → column.
 * @returns undefined where no row of the list can be such a one.
 */
export function hostReader(
  columns: Readonly<Record<string, string>>,
  header: readonly string[],
): HostReader | undefined {
  const mapped = Object.entries(columns).map(([input, column]) => ({
    input: inputOf(input),
    at: header.indexOf(column),
  }));
  const placesOf = (...inputs: readonly string[]): readonly number[] =>
    mapped.flatMap(({ input, at }) => (at >= 0 && inputs.includes(input) ? [at] : []));
  const sites = [...placesOf('website'), ...placesOf('domain')];
  const isOfPeople = placesOf('first_name', 'last_name', 'full_name').length > 0;
  const company = placesOf('company')[0] ?? placesOf('name')[0] ?? companyColumnIn(header, isOfPeople);
  if (sites.length === 0 || company === undefined) return undefined;
  const others = mapped.flatMap(({ input, at }) => {
    const read = Object.hasOwn(KNOWN_BY, input) ? KNOWN_BY[input] : undefined;
    return read === undefined ? [] : [{ at, read }];
  });
  return ({ cells, unreadable }) => {
    if (unreadable !== undefined) return undefined;
    const site = sites.map((at) => (cells[at] ?? '').trim()).find((cell) => cell !== '');
    const [, host, path = ''] = ADDRESS.exec(addressIn(site ?? '')) ?? [];
    if (host === undefined) return undefined;
    if (others.some(({ at, read }) => read(cells[at] ?? '').kind === 'usable')) return undefined;
    const name = identifierText(cells[company] ?? '');
    return { host: host.toLowerCase(), path: path.replace(/\/+$/, ''), name };
  };
}

/** The address that a cell leads to. Nearly every cell is that address itself. */
function addressIn(cell: string): string {
  const address = behindLink(cell) ?? cell;
  if (!HOLDS_ADDRESS.test(address.slice(8))) return address;
  const target = readTarget(address);
  return 'kind' in target ? address : target.url.href;
}

/** The hosts under which companies stand that have nothing in common, each with how many names they have. */
export type SharedHosts = ReadonlyMap<string, number>;

export const NO_SHARED_HOSTS: SharedHosts = new Map();

/** Why a row is not asked whose host is shared; undefined where no host is. */
export function settingAside(
  shared: SharedHosts | undefined,
  columns: Readonly<Record<string, string>>,
  header: readonly string[],
): ((row: InputRow) => Findings | undefined) | undefined {
  const read = shared === undefined || shared.size === 0 ? undefined : hostReader(columns, header);
  if (read === undefined) return undefined;
  return (row) => {
    const { host = '' } = read(row) ?? {};
    const companies = shared?.get(host);
    return companies === undefined ? undefined : finding('shared_host', { host, companies });
  };
}

/** Hosts after these are not counted. */
const MOST_HOSTS = 2 ** 18;
const MOST_TALLIES = 100_000;
const MOST_NAMES = 50;
/** A batch keeps no more of them. */
const MOST_NAMED = 500;

/** What is kept of a host: the hashes of its path, of its name and of the first words of the name. */
const FIELDS = 7;

interface Tally {
  /** The hash of the first path. */
  readonly path: number;
  isApart: boolean;
  /** The words of each name; only so many are kept. */
  readonly names: (readonly number[])[];
  readonly seen: Set<number>;
  isShared: boolean;
}

/** Hosts with one name and one path, as nearly all have, are kept as numbers; the others with their names. */
export class HostSurvey {
  readonly #places = new HashPlaces(FIELDS, MOST_HOSTS);
  readonly #tallies = new Map<string, Tally>();

  add({ host, path, name }: HostOfRow): void {
    if (name === '') return;
    const all = wordsOf(name);
    const words = all.filter(isOwn).map((word) => textHash(word.endsWith('s') ? word.slice(0, -1) : word));
    const [pathHash, nameHash] = [path === '' ? 0 : textHash(path), textHash(all.join(''))];
    const known = this.#tallies.get(host) ?? this.#tallyAfter(host, pathHash, nameHash, words);
    if (known === undefined) return;
    // A host alone is no page of it.
    known.isApart ||= pathHash !== 0 && known.path !== 0 && pathHash !== known.path;
    if (known.path === 0 && pathHash !== 0) Object.assign(known, { path: pathHash });
    if (known.seen.has(nameHash) || known.seen.size >= MOST_NAMES) return;
    known.seen.add(nameHash);
    known.isShared ||= standsApart(words, known.names);
    known.names.push(words);
  }

  /** The tally of a host that stood there before with another name or path; undefined for any other. */
  #tallyAfter(host: string, pathHash: number, nameHash: number, words: readonly number[]): Tally | undefined {
    const [hash, place] = [textHash(host), textHash(host, SEED_OF_PLACE)];
    const at = this.#places.at(hash, place);
    if (this.#places.isFree(at)) {
      this.#places.keep(at, hash, place, [pathHash, nameHash, ...words]);
      return undefined;
    }
    const [path = 0, first = 0, ...wordHashes] = this.#places.numbersAt(at);
    if ((path === pathHash && first === nameHash) || this.#tallies.size >= MOST_TALLIES) return undefined;
    const names = [wordHashes.filter((word) => word !== 0)];
    const tally = { path, isApart: false, names, seen: new Set([first]), isShared: false };
    this.#tallies.set(host, tally);
    return tally;
  }

  shared(): SharedHosts {
    const shared = [...this.#tallies].filter(([, { isShared, isApart }]) => isShared && isApart);
    return new Map(shared.map(([host, { seen }]) => [host, seen.size]));
  }

  /** The hosts with most names, and with more than one. */
  named(): SharedHosts {
    const several = [...this.#tallies].filter(([, { seen }]) => seen.size > 1);
    const most = several.sort(([, one], [, other]) => other.seen.size - one.seen.size).slice(0, MOST_NAMED);
    return new Map(most.map(([host, { seen }]) => [host, seen.size]));
  }
}

/**
 * Whether a name makes three with two of the others, and none of them has a word of another. Three such names
 * are those of different companies; two may be the old and the new one.
 */
function standsApart(words: readonly number[], others: readonly (readonly number[])[]): boolean {
  const isApart = (one: readonly number[], other: readonly number[]): boolean =>
    one.length > 0 && other.length > 0 && !one.some((word) => other.includes(word));
  const apart = others.filter((other) => isApart(words, other));
  return apart.some((one) => apart.some((other) => isApart(one, other)));
}

/** Each row has a name, so this is no finer than it has to be. */
const wordsOf = (name: string): readonly string[] =>
  (name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !LEGAL_WORDS.has(word));

const isOwn = (word: string): boolean => !PLACE_WORDS.has(word) && !GENERIC_WORDS.has(word);

const SEED_OF_PLACE = 0x2545f491;
