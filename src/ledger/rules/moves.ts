/**
 * The moves of a call, as data. What stands of a call (nothing, an answer, a doubt) and the attempt that is under way are two
 * things: a refresh is under way beside its answer, a repeat beside its doubt, and what never left must leave either as it
 * was. What is not in this list is refused, here and by the database, which has the same list as a view.
 */

/**
 * What stands of a call. `answered` and `doubt` have the attempt that led to it, to which the call points. Stores may keep the place in
 * this list.
 */
export const STANDS = ['free', 'answered', 'doubt'] as const;
export type Stands = (typeof STANDS)[number];

/** How far the attempt is that is under way, to which the call points as well. */
export const PHASES = ['sent', 'back'] as const;
export type Phase = (typeof PHASES)[number];

/** To which attempt of its call an entry has to point: the open one, the one that stands, or any. */
export type Names = 'open' | 'stands' | 'any';

/** @typeParam Name where the list is written its kinds are any words, and from there on just those. */
export interface Move<Name extends string = Kind> {
  readonly kind: Name;
  /** What may stand before it; all when absent. */
  readonly when?: readonly Stands[];
  /** What may be under way before it: nothing, or a phase; all when absent. */
  readonly during?: readonly (Phase | 'nothing')[];
  /** What stands after it, when that changes. `before`: what stood before what is taken back. */
  readonly stands?: Stands | 'before';
  /** What is under way after it, when that changes. */
  readonly open?: Phase | 'nothing';
  readonly names: Names;
}

const WAY = ['sent', 'back'] as const;
const IDLE = ['nothing'] as const;

export const MOVES = [
  // An attempt begins; `repeat` and `retry` by a decision about the doubt, `refresh` in the place of the answer.
  { kind: 'intent', when: ['free'], during: IDLE, open: 'sent', names: 'any' },
  { kind: 'repeat', when: ['doubt'], during: IDLE, open: 'sent', names: 'any' },
  { kind: 'retry', when: ['doubt'], during: IDLE, open: 'sent', names: 'any' },
  { kind: 'refresh', when: ['answered'], during: IDLE, open: 'sent', names: 'any' },
  // What came back, before it is judged.
  { kind: 'reply', during: ['sent'], open: 'back', names: 'open' },
  // What came back when its attempt had been taken for lost, whatever became of the call since.
  { kind: 'late', names: 'any' },
  // How the attempt ends. A refresh that got lost leaves its answer, unless that was read as none.
  { kind: 'answered', during: ['back'], stands: 'answered', open: 'nothing', names: 'open' },
  { kind: 'lost', during: WAY, stands: 'doubt', open: 'nothing', names: 'open' },
  { kind: 'lost_beside', when: ['answered'], during: WAY, open: 'nothing', names: 'open' },
  { kind: 'unsold', during: WAY, open: 'nothing', names: 'open' },
  // How a doubt ends: a person tells, a kept reply is read, or it did not happen.
  { kind: 'decided', when: ['doubt'], names: 'stands' },
  { kind: 'told', when: ['doubt'], stands: 'answered', names: 'stands' },
  { kind: 'read', when: ['doubt'], stands: 'answered', names: 'stands' },
  { kind: 'released', when: ['doubt'], during: IDLE, stands: 'before', names: 'stands' },
  // A miss that only a wrong address had said.
  { kind: 'retracted', when: ['answered'], stands: 'before', names: 'stands' },
  // What is added to an attempt, whatever became of its call.
  { kind: 'reading', names: 'any' },
  { kind: 'look', names: 'any' },
  { kind: 'freed', names: 'any' },
  { kind: 'counted', names: 'any' },
] as const satisfies readonly Move<string>[];

export type Kind = (typeof MOVES)[number]['kind'];

/** The kinds that begin an attempt. */
export const SENT = ['intent', 'repeat', 'retry', 'refresh'] as const satisfies readonly Kind[];
/** The kinds that keep what came back. */
export const REPLIED = ['reply', 'late'] as const satisfies readonly Kind[];
/** The kinds that end one. */
export const ENDED = ['answered', 'lost', 'lost_beside', 'unsold'] as const satisfies readonly Kind[];
/** Those after which nobody knows whether it was charged. */
export const LOST = ['lost', 'lost_beside'] as const satisfies readonly Kind[];
/** The kinds with which a loss is over: what it holds is given back, or counts as spent. */
export const LOSS_OVER = ['freed', 'released', 'told', 'counted', 'read'] as const satisfies readonly Kind[];

export interface Place {
  readonly stands: Stands;
  readonly phase: Phase | undefined;
}

/** Where a call stands, and the attempts to which it points. */
export interface Standing {
  readonly state: Stands;
  readonly stands: number | null;
  readonly phase: Phase | null;
  readonly open: number | null;
}

/** A move from one place to another. `to.stands` is undefined where it depends on what stood before. */
export interface Transition {
  readonly kind: Kind;
  readonly from: Place;
  readonly to: { readonly stands: Stands | undefined; readonly phase: Phase | undefined };
  readonly names: Names;
}

const during = (phase: Phase | undefined): Phase | 'nothing' => phase ?? 'nothing';

/** Every move that is allowed, one by one: what the database has, and what the picture in the documentation shows. */
export const TRANSITIONS: readonly Transition[] = MOVES.flatMap((move: Move) =>
  (move.when ?? STANDS).flatMap((stands) =>
    ([undefined, ...PHASES] as const)
      .filter((phase) => move.during === undefined || move.during.includes(during(phase)))
      .map((phase) => ({
        kind: move.kind,
        from: { stands, phase },
        to: {
          stands: move.stands === 'before' ? undefined : (move.stands ?? stands),
          phase: move.open === undefined ? phase : move.open === 'nothing' ? undefined : move.open,
        },
        names: move.names,
      })),
  ),
);
