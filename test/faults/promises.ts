import { callName, type LedgerView } from './ledger-view.ts';
import type { LoggedRequest } from './vendor.ts';
import type { Order, Workplace } from './workplace.ts';

/** The product's promises, counted after the fact by holding the vendor's book against the program's ledger. */

/** How often each promise was broken: so often in all of them, whatever was killed and lost. */
export const NONE_BROKEN = {
  /** Input rows that did not come back as they were, in order, each with an outcome. */
  rowsLost: 0,
  /** Rows of outputs that hold what was found for another one. */
  rowsMixedUp: 0,
  chargedTwice: 0,
  requestsWithoutIntent: 0,
  /** Calls that the vendor charged and the ledger does not hold as bought or in doubt, and the reverse. */
  booksDisagree: 0,
};

interface Checked {
  /** What the ledger says of calls; left out: it is read in the folder of the store. */
  readonly calls?: LedgerView['calls'];
  /** Left out: the one that a run takes by default. */
  readonly lists?: readonly Pick<Order, 'input' | 'output'>[];
}

export async function brokenPromises(
  workplace: Workplace,
  checked: Checked = {},
): Promise<typeof NONE_BROKEN> {
  const { lists = [{}] } = checked;
  const lost = lists.map(({ input, output }) => rowsLost(workplace, input, output));
  const { charged_twice: chargedTwice } = await workplace.vendor.book();
  return {
    rowsLost: sum(lost),
    rowsMixedUp: sum(lists.map(({ output }) => rowsMixedUp(workplace, output))),
    chargedTwice: chargedTwice.length,
    ...comparedBooks(workplace, checked.calls ?? workplace.ledger().calls),
  };
}

export function rowsLost(workplace: Workplace, input = 'list.csv', output = 'out.csv'): number {
  const given = workplace.rows(input);
  const back = workplace.rows(output);
  const kept = given.filter((row, index) => {
    const copy = back[index];
    const same = copy !== undefined && Object.entries(row).every(([column, cell]) => copy[column] === cell);
    return same && copy._status !== '' && copy._status !== 'pending';
  });
  return given.length - kept.length + Math.abs(back.length - given.length);
}

/** The vendor says in each answer about whom it is, so that of a row that matched its domain stands among what was added, too. */
export function rowsMixedUp(workplace: Workplace, output = 'out.csv'): number {
  const mixedUp = workplace.rows(output).filter(({ Domain = '', _matched_by: by, ...rest }) => {
    return by === 'domain' && !Object.values(rest).includes(Domain);
  });
  return mixedUp.length;
}

function comparedBooks(workplace: Workplace, calls: LedgerView['calls']) {
  const asked = byCall(workplace.vendor.requests());
  const charged = (requests: readonly LoggedRequest[]): boolean =>
    requests.some(({ credits }) => credits > 0);
  const withoutIntent = [...asked].map(([name, requests]) =>
    Math.max(requests.length - (calls.get(name)?.attempts ?? 0), 0),
  );
  const disagreeing = [...new Set([...asked.keys(), ...calls.keys()])].filter((name) => {
    const state = calls.get(name)?.state;
    return state !== 'in_doubt' && charged(asked.get(name) ?? []) !== (state === 'found');
  });
  return { requestsWithoutIntent: sum(withoutIntent), booksDisagree: disagreeing.length };
}

/** What the vendor tells for nothing is asked without an intent. */
const LOOK_UPS: readonly (string | null)[] = ['read-back', 'usage'];

function byCall(requests: readonly LoggedRequest[]): ReadonlyMap<string, readonly LoggedRequest[]> {
  const ofCalls = requests.filter(({ operation }) => !LOOK_UPS.includes(operation));
  return Map.groupBy(ofCalls, ({ operation, body }) => callName(operation, body));
}

/** Credits that the vendor charged for calls whose answers the ledger holds; for those in doubt no one can know. */
export function chargedForAnswers({ vendor }: Workplace, calls: LedgerView['calls']): number {
  const answered = vendor
    .requests()
    .filter(({ operation, body }) => calls.get(callName(operation, body))?.state === 'found');
  return sum(answered.map(({ credits }) => credits));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Faults after which cannot be known whether the call was charged. */
export const LEAVES_DOUBT =
  /^(charged-)?(reset|timeout|truncate|cut|empty|garbage|huge|bomb|5\d\d|408|425|499)$/;

/** Faults of the vendor so far that leave doubt. */
export async function doubtfulFaults(workplace: Workplace): Promise<number> {
  const { faults } = await workplace.vendor.book();
  return sum(Object.entries(faults).map(([name, times]) => (LEAVES_DOUBT.test(name) ? times : 0)));
}
