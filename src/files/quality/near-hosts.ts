import { foreignWords, grouped } from '../../core/plain-text.ts';
import type { RowNumber } from '../../core/row.ts';
import { email } from '../../values/email.ts';
import { whyNotOwn } from '../../values/hosts.ts';
import { isUsable } from '../../values/reading.ts';

/**
 * Addresses whose host is one slip of a finger away from another one: `ann@gmial.com`. Each may be right, so
 * it is only told, and never refused or mended. An invite to a wrong one gives a stranger access.
 */

/** Hosts where most people have a mailbox, without those that are one letter away from a company's. */
const USUAL =
  'gmail.com googlemail.com hotmail.com hotmail.co.uk outlook.com outlook.com.au yahoo.com yahoo.com.au bigpond.com';

/** Different hosts of a list that are counted. */
const MOST_HOSTS = 10_000;
/** A host in more rows than this is taken as intended. */
const MOST_ALIKE = 20;

interface NearHost {
  readonly row: RowNumber;
  readonly cell: string;
}

/** The hosts of one column, in memory that does not grow with its rows. */
export class NearHosts {
  readonly #hosts = new Map<string, { count: number; readonly first: NearHost[] }>();
  #all = 0;

  add(row: RowNumber, cell: string): void {
    const at = cell.lastIndexOf('@');
    if (at < 0) return;
    const host = cell
      .slice(at + 1)
      .trim()
      .toLowerCase();
    const alike = this.#hosts.get(host) ?? { count: 0, first: [] };
    this.#all += 1;
    alike.count += 1;
    if (alike.count <= MOST_ALIKE) alike.first.push({ row, cell });
    if (this.#hosts.size < MOST_HOSTS) this.#hosts.set(host, alike);
  }

  /** In the order of the rows. */
  found(): readonly NearHost[] {
    const most = [...this.#hosts].find(([, { count }]) => count * 2 > this.#all)?.[0];
    const usual = [...USUAL.split(' '), ...(most === undefined ? [] : [most])];
    const near = [...this.#hosts].flatMap(([host, { count, first }]) => {
      const isNear = usual.some((each) => isOneSlip(host, each));
      if (!isNear || count > MOST_ALIKE || isMailbox(host)) return [];
      return first.filter(({ cell }) => isUsable(email.read(cell)));
    });
    return near.sort((one, other) => one.row - other.row);
  }
}

const isMailbox = (host: string): boolean => whyNotOwn({ host, path: '' }, true)?.code === 'mailbox_host';

/** Whether a letter is missing, too many or another one, or two stand in each other's place. */
function isOneSlip(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end -= 1;
    otherEnd -= 1;
  }
  const [left, right] = [one.slice(start, end), other.slice(start, otherEnd)];
  const isTurned = right.length === 2 && left === `${right[1]}${right[0]}`;
  return isTurned || (left !== right && left.length <= 1 && right.length <= 1);
}

/** `1 address may be mistyped: ann@gmial.com`, `3 addresses may be mistyped: ann@gmial.com and 2 more`. */
export function nearWords([first, ...more]: readonly NearHost[]): string {
  const named = foreignWords(first?.cell.trim() ?? '', LONGEST);
  return more.length === 0
    ? `1 address may be mistyped: ${named}`
    : `${grouped(more.length + 1)} addresses may be mistyped: ${named} and ${grouped(more.length)} more`;
}

const LONGEST = 60;
