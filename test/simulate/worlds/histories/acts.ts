/** What a person may do in a history, as data and in words. */
import fc, { type Arbitrary } from 'fast-check';
import { DAY_MS, HOUR_MS } from '../../people.ts';
import { EDITS, type Edit } from '../../workplace.ts';

export type ListName = 'a' | 'b';

/** Commands that only look. */
export const LOOKS = {
  status: ['status'],
  'status last': ['status', 'last'],
  'a row': ['status', 'last', '3'],
  plan: ['plan', 'job.yaml', 'a.csv'],
  spend: ['spend', '--by', 'batch'],
  log: ['log'],
  export: ['export', 'last'],
  doubts: ['settle', 'last'],
  check: ['store', 'check'],
  doctor: ['doctor'],
  merge: ['merge', 'a.enriched.csv', 'a.csv'],
} as const satisfies Record<string, readonly string[]>;
export type Look = keyof typeof LOOKS;

/** How much a run may spend: its highest price, or a budget. */
export type Budget = number | 'as planned';

export interface RunAct {
  readonly kind: 'run';
  readonly list: ListName;
  readonly edit: Edit;
  readonly budget: Budget;
  readonly limit: number | undefined;
  readonly refresh: boolean;
  readonly accept: string | undefined;
}

type Decision =
  | { readonly how: 'retry'; readonly extra: number }
  | { readonly how: 'skip' | 'not-done' | 'no_match' };

export type Act =
  | RunAct
  | { readonly kind: 'look'; readonly look: Look }
  | ({ readonly kind: 'settle' } & Decision)
  | { readonly kind: 'pause' | 'resume' | 'cancel' | 'copy away' | 'put back' | 'back up' }
  | { readonly kind: 'forget'; readonly company: number }
  | { readonly kind: 'purge'; readonly olderMs: number }
  /** The vendor is at another address from now on; a person says whose account is there when asked. */
  | { readonly kind: 'move'; readonly port: number; readonly is: 'same-account' | 'new-account' };

export interface Beside {
  readonly act: Act;
  readonly afterMs: number;
}

const just = <Kind extends Act['kind']>(...kinds: readonly Kind[]): Arbitrary<{ readonly kind: Kind }> =>
  fc.constantFrom(...kinds).map((kind) => ({ kind }));

const run: Arbitrary<RunAct> = fc.record({
  kind: fc.constant('run' as const),
  list: fc.constantFrom<ListName[]>('a', 'b'),
  edit: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Edit>('as it was') },
    { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(EDITS) as Edit[])) },
  ),
  budget: fc.constantFrom<Budget[]>('as planned', 1000, 2, 6),
  limit: fc.constantFrom(undefined, undefined, undefined, 3),
  refresh: fc.constantFrom(false, false, true),
  accept: fc.constantFrom(
    ...[undefined, undefined, undefined, undefined, 'refused', 'no-match', 'same-answers', 'doubts'],
  ),
});

const look = fc.record({
  kind: fc.constant('look' as const),
  look: fc.constantFrom(...(Object.keys(LOOKS) as Look[])),
});

const settle = fc
  .oneof<Arbitrary<Decision>[]>(
    fc.record({ how: fc.constant('retry' as const), extra: fc.constantFrom(1, 20) }),
    fc.record({ how: fc.constantFrom('skip', 'not-done', 'no_match') }),
  )
  .map((decision) => ({ kind: 'settle' as const, ...decision }));

const forget = fc.record({ kind: fc.constant('forget' as const), company: fc.integer({ min: 5, max: 9 }) });

const purge = fc.record({
  kind: fc.constant('purge' as const),
  olderMs: fc.constantFrom(2 * DAY_MS, 9 * DAY_MS),
});

const move = fc.record({
  kind: fc.constant('move' as const),
  port: fc.constantFrom(9, 10, 11),
  is: fc.constantFrom('same-account' as const, 'new-account' as const),
});

export const acts: Arbitrary<Act> = fc.oneof<fc.WeightedArbitrary<Act>[]>(
  { weight: 10, arbitrary: run },
  { weight: 3, arbitrary: settle },
  { weight: 1, arbitrary: look },
  { weight: 2, arbitrary: just('pause', 'resume', 'cancel') },
  { weight: 1, arbitrary: forget },
  { weight: 1, arbitrary: purge },
  { weight: 2, arbitrary: just('copy away', 'put back', 'back up') },
  { weight: 1, arbitrary: move },
);

/** What somebody else types while a command goes on. */
export const beside: Arbitrary<Beside | undefined> = fc.option(
  fc.record({
    act: fc.oneof<fc.WeightedArbitrary<Act>[]>(
      { weight: 2, arbitrary: just('pause') },
      { weight: 2, arbitrary: look },
      { weight: 1, arbitrary: run },
      { weight: 1, arbitrary: just('cancel', 'back up') },
      { weight: 1, arbitrary: fc.oneof<Arbitrary<Act>[]>(settle, forget, purge) },
    ),
    afterMs: fc.integer({ min: 1, max: 700 }),
  }),
  { nil: undefined, freq: 2 },
);

/** Of an act that is typed; undefined of what is done without the program. */
export function typedFor(act: Act, backups: number): readonly string[] | undefined {
  switch (act.kind) {
    case 'run':
      return runWords(act);
    case 'look':
      return LOOKS[act.look];
    case 'settle':
      return ['settle', 'last', ...decisionWords(act)];
    case 'pause':
    case 'resume':
    case 'cancel':
      return [act.kind, 'last'];
    case 'back up':
      return ['store', 'backup', `backup-${backups}.db`];
    case 'purge':
      return ['store', 'purge', '--older-than', `${act.olderMs / HOUR_MS}h`, '--yes'];
    case 'forget':
    case 'copy away':
    case 'put back':
    case 'move':
      return undefined;
  }
}

function runWords({ list, budget, limit, refresh, accept }: RunAct): readonly string[] {
  return [
    ...['run', 'job.yaml', `${list}.csv`, '--yes'],
    ...(budget === 'as planned' ? [] : ['--budget', String(budget)]),
    ...(limit === undefined ? [] : ['--limit', String(limit)]),
    ...(refresh ? ['--refresh'] : []),
    ...(accept === undefined ? [] : ['--accept', accept]),
  ];
}

function decisionWords(decision: Decision): readonly string[] {
  if (decision.how === 'retry') return ['--retry', '--extra-credits', String(decision.extra)];
  return decision.how === 'no_match' ? ['--answer', 'no_match'] : [`--${decision.how}`];
}

export function actWords(act: Act): string {
  switch (act.kind) {
    case 'run':
      return `rowonce ${runWords(act).join(' ')}, the list ${act.edit}`;
    case 'copy away':
      return 'the folder of the store is copied away';
    case 'put back':
      return 'the store is put back as it was when it was last copied or backed up';
    case 'move':
      return `the account is at port ${act.port} from now on: --accept ${act.is} when asked`;
    case 'forget':
      return `rowonce forget the contact of company ${act.company} --yes`;
    default:
      return `rowonce ${(typedFor(act, 1) ?? []).join(' ')}`;
  }
}
