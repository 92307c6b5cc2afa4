import { STOP_CODES, type StopCode, type StopError } from '../../../core/errors.ts';

/**
 * Says for each stop which files would end in the same way: only this one (`file`), the further files of its account
 * (`account`), or all files of the sweep (`sweep`).
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
  doubts: 'account',
  vendor_credits: 'account',
  dearer: 'account',
  paused: 'account',
  key: 'account',
  clock: 'sweep',
  system: 'sweep',
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
 * Exit codes from the worst to the least: first those of a signal from outside, then those that need a person, and last
 * those of problems that pass by themselves.
 */
const WORST_FIRST: readonly number[] = [130, 143, 77, 2, 4, 76, 75];

/** The stop that the whole sweep reports; the first of equally bad ones. */
export function worstOf(stops: readonly StopError[]): StopError | undefined {
  const rank = ({ code }: StopError): number => WORST_FIRST.indexOf(STOP_CODES[code]);
  return stops.toSorted((one, other) => rank(one) - rank(other))[0];
}
