import { type CallKey, callKeyOf } from '../core/call-key.ts';
import { unreachable } from '../core/errors.ts';
import type { Call, FormerCall, Operation } from '../core/operation.ts';
import type { Batch, CallState, KnownCall, LedgerReader } from '../ledger/ledger.ts';
import { isKnownFreshFor } from './freshness.ts';

/**
 * What the ledger knows of calls, whatever version of Rowonce made them. A call that is not known under the key of now is
 * looked for under those that earlier versions gave it: their spellings of an identifier were others, and what was bought
 * under one of them is not bought again.
 */

export interface AskedCall {
  readonly key: CallKey;
  readonly call: Call;
}

/** `key` and `call`: those under which it is known; as it was asked for where it is not. */
export interface FoundCall<State> extends AskedCall {
  readonly state: State;
}

export interface LookUp<State> {
  readonly operation: Pick<Operation, 'formerly'>;
  readonly accountIdentity: string;
  /** For whom: an answer of a former call that is too old for it is bought anew as it is asked now. */
  readonly batch: Partial<Pick<Batch, 'id' | 'freshSince'>>;
  readonly ledger: Pick<LedgerReader, 'lostRefresh'>;
  /** In the order of the keys. */
  find(keys: readonly CallKey[]): Promise<readonly State[]>;
}

/** In the order of the calls. */
export async function findCalls<State extends KnownCall | CallState>(
  asked: readonly AskedCall[],
  lookUp: LookUp<State>,
): Promise<readonly FoundCall<State>[]> {
  const states = await lookUp.find(asked.map(({ key }) => key));
  const found = asked.map((each, index) => ({ ...each, state: states[index] as State }));
  const former = formerOf(found, lookUp);
  const formerStates = former.length === 0 ? [] : await lookUp.find(former.map(({ key }) => key));
  for (const [index, { at, key, call, asksTheSame }] of former.entries()) {
    const state = formerStates[index];
    if (state === undefined || found[at]?.state.kind !== 'unknown') continue;
    if (await standsFor(state, asksTheSame, lookUp)) found[at] = { key, call, state };
  }
  return found;
}

type Former = FormerCall & AskedCall & { readonly at: number };

/** The other keys of the calls that are not known, which most are not asked for a second time. */
function formerOf(
  found: readonly FoundCall<{ readonly kind: string }>[],
  { operation, accountIdentity }: Pick<LookUp<unknown>, 'operation' | 'accountIdentity'>,
): readonly Former[] {
  return found.flatMap(({ call, state }, at) => {
    if (state.kind !== 'unknown') return [];
    const former = operation.formerly?.(call) ?? [];
    return former.map((each) => ({ ...each, at, key: callKeyOf(accountIdentity, each.call) }));
  });
}

/**
 * Whether what is known of a former call is known of the one of now. A refusal may be about the spelling, and so may a
 * "no match" unless the vendor was asked the same by it. A lost answer may have been charged, so it is settled first.
 */
async function standsFor(
  state: KnownCall | CallState,
  asksTheSame: boolean,
  { batch, ledger }: Pick<LookUp<unknown>, 'batch' | 'ledger'>,
): Promise<boolean> {
  switch (state.kind) {
    case 'unknown':
      return false;
    case 'in_doubt':
      return true;
    case 'answered': {
      const { answer } = state;
      const counts = answer.kind === 'found' || (answer.kind === 'no_match' && asksTheSame);
      return counts && (await isKnownFreshFor(batch, answer, ledger));
    }
    default:
      return unreachable(state);
  }
}
