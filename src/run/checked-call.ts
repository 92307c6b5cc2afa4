import { type Checks, checkOptions } from '../lib/checked-options.ts';
import { nameStoreOfCall } from '../lib/command-line.ts';
import { storeToName } from './store-choice.ts';

/**
 * Begins a call of a program: its options are checked, and every command in what it says names the store that it was given.
 * @throws StopError `usage` with the option.
 */
export function checkCall<Request extends { readonly store?: string | undefined }>(
  call: string,
  request: Request,
  checks: Checks<Request>,
): void {
  checkOptions(call, request, checks);
  nameStoreOfCall(storeToName(request.store));
}
