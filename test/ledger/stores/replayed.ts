import {
  type Kind,
  LOSS_OVER,
  LOST,
  MOVES,
  type Move,
  type Standing,
} from '../../../src/ledger/rules/moves.ts';

/** Where the rules say that a call stands after its entries, to be held against what a database says. */

/** What the rules have to know of an entry. */
export interface Happened {
  readonly id: number;
  readonly kind: Kind;
  /** The attempt that it is about, which is its own number where it begins one. */
  readonly of: number;
  readonly sees: number | null;
}

export const NOTHING_STANDS: Standing = { state: 'free', stands: null, phase: null, open: null };

const BY_KIND: ReadonlyMap<Kind, Move> = new Map(MOVES.map((move: Move) => [move.kind, move]));

/**
 * Where a call stands after an entry; undefined when no such entry may follow.
 * @param isLoss whether an attempt was lost and nothing has ended that: then it stands as a doubt when it comes back.
 */
export function moved(
  call: Standing,
  entry: Happened,
  isLoss: (attempt: number) => boolean,
): Standing | undefined {
  const move = BY_KIND.get(entry.kind);
  if (move === undefined || !isAllowed(move, call, entry)) return undefined;
  const way =
    move.open === undefined
      ? { phase: call.phase, open: call.open }
      : move.open === 'nothing'
        ? { phase: null, open: null }
        : { phase: move.open, open: entry.of };
  if (move.stands === undefined) return { ...way, state: call.state, stands: call.stands };
  if (move.stands !== 'before') return { ...way, state: move.stands, stands: entry.of };
  const { sees } = entry;
  return { ...way, state: sees === null ? 'free' : isLoss(sees) ? 'doubt' : 'answered', stands: sees };
}

function isAllowed(move: Move, call: Standing, { of }: Happened): boolean {
  if (move.when !== undefined && !move.when.includes(call.state)) return false;
  if (move.during !== undefined && !move.during.includes(call.phase ?? 'nothing')) return false;
  return move.names === 'any' || of === (move.names === 'open' ? call.open : call.stands);
}

const IS_LOST: ReadonlySet<Kind> = new Set(LOST);
const IS_OVER: ReadonlySet<Kind> = new Set(LOSS_OVER);

/** Where a call stands after all of its entries, oldest first; undefined when one of them could not follow. */
export function replayed(entries: readonly Happened[]): Standing | undefined {
  const lost = new Set<number>();
  let call: Standing | undefined = NOTHING_STANDS;
  for (const entry of entries) {
    call = moved(call, entry, (attempt) => lost.has(attempt));
    if (call === undefined) return undefined;
    if (IS_LOST.has(entry.kind)) lost.add(entry.of);
    else if (IS_OVER.has(entry.kind)) lost.delete(entry.of);
  }
  return call;
}
