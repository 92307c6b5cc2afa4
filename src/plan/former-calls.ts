import { type CallKey, callKeyOf } from '../core/call-key.ts';
import { unreachable } from '../core/errors.ts';
import type { Call, FormerCall, Operation } from '../core/operation.ts';
import type { Batch, CallState, KnownCall, LedgerReader } from '../ledger/ledger.ts';
import { isKnownFreshFor } from './freshness.ts';

/**
 * This file finds calls in the ledger, whatever version of Rowonce made them. Earlier versions spelled some identifiers
 * differently, so a call that is unknown under its present key is looked for under its earlier keys, too. A call that was
 * bought under an earlier key is not bought again.
 */

export interface AskedCall {
  readonly key: CallKey;
  readonly call: Call;
}

/** `key` and `call` are those under which the ledger knows it; for an unknown call they are those that were asked for. */
export interface FoundCall<State> extends AskedCall {
  readonly state: State;
}

export interface LookUp<State> {
  readonly operation: Pick<Operation, 'formerly'>;
  readonly accountIdentity: string;
  /** The batch that wants the answers. When a former answer is too old for it, the call is bought in its present form. */
  readonly batch: Partial<Pick<Batch, 'id' | 'freshSince'>>;
  readonly ledger: Pick<LedgerReader, 'lostRefresh'>;
  /** Returns the states in the order of the keys. */
  find(keys: readonly CallKey[]): Promise<readonly State[]>;
}

/** Finds the calls, by their present or an earlier key, and returns them in the order in which they were asked for. */
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

/** The earlier keys of the unknown calls. Most calls are known or have none, so a second look into the ledger is rare. */
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
 * Whether the state of a former call counts for the present one. A refusal may be due to the old spelling, and so may a
 * "no match", unless both spellings ask the vendor the same. A lost answer may have been charged, so it is settled first.
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
