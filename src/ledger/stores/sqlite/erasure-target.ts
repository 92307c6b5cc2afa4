import { type StopError, unreachable } from '../../../core/errors.ts';
import { present } from '../../../core/objects.ts';
import type { BelievedTime } from '../../believed-time.ts';
import type { ErasureOrder, Person } from '../../store.ts';

/** What an order means once the time was asked. */
export type Target =
  | { readonly kind: 'person'; readonly person: Person }
  | {
      readonly kind: 'old';
      readonly beforeMs: number;
      /** Whether the dates of the ledger are held against what answers confirmed; otherwise they are taken as they are. */
      readonly isSure: boolean;
      readonly accountIdentity?: string | undefined;
    };

/** @returns with it why nothing may be erased after all, which is to be said only where something would be. */
export function targetOf(
  order: ErasureOrder,
  time: BelievedTime,
): { readonly target: Target; readonly dispute?: StopError } {
  switch (order.kind) {
    case 'person':
      return { target: order };
    case 'day':
      return { target: { kind: 'old', beforeMs: order.beforeMs, isSure: false } };
    case 'age': {
      const { leastMs, greatestMs, dispute } = time.bounds();
      const isSure = dispute === undefined;
      const beforeMs = (isSure ? leastMs : greatestMs) - order.ageMs;
      const { accountIdentity } = order;
      return { target: { kind: 'old', beforeMs, isSure, accountIdentity }, ...present({ dispute }) };
    }
    default:
      return unreachable(order);
  }
}
