import { STOP_CODES, type StopCode, type StopError } from '../../core/errors.ts';

/**
 * How far a stop reaches: whether the next file of the same account would end in the same way (`account`), every file of
 * the sweep (`sweep`), or just this one (`file`).
 */
export const STOP_REACH: Readonly<Record<StopCode, 'file' | 'account' | 'sweep'>> = {
  usage: 'file',
  job: 'file',
  input: 'file',
  output: 'file',
  consent: 'file',
  unsupported: 'file',
  guard: 'file',
  plan: 'file',
  budget: 'file',
  account: 'account',
  address: 'account',
  account_budget: 'account',
  vendor_credits: 'account',
  dearer: 'account',
  paused: 'account',
  key: 'account',
  clock: 'sweep',
  store: 'sweep',
  store_damaged: 'sweep',
  store_lost: 'sweep',
  store_version: 'sweep',
  disk_full: 'sweep',
  busy: 'sweep',
  interrupted: 'sweep',
  terminated: 'sweep',
};

/**
 * Exit codes from the worst to the least. First what ended the sweep from outside, then what stays as it is until a
 * person does something, and last what passes by itself.
 */
const WORST_FIRST: readonly number[] = [130, 143, 77, 2, 4, 76, 75];

/** The stop that the whole sweep is reported by; the first of equally bad ones. */
export function worstOf(stops: readonly StopError[]): StopError | undefined {
  const rank = ({ code }: StopError): number => WORST_FIRST.indexOf(STOP_CODES[code]);
  return stops.toSorted((one, other) => rank(one) - rank(other))[0];
}
