import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Kind, PHASES, type Standing } from '../../../src/ledger/rules/moves.ts';
import { schema } from '../../../src/ledger/stores/sqlite/schema.ts';
import { times } from '../../combinations.ts';
import { DAY_MS, NOON_MS } from './book.ts';
import { attempt, BOOK, type Cells, call, end, insertion, NEXT, note, quoted, reply } from './raw.ts';
import { type Happened, NOTHING_STANDS, replayed } from './replayed.ts';

/**
 * Goal: the rules and the database say the same of where a call stands, whatever was written, and money that is at risk is
 * that of the losses which are not over.
 * Method: random entries of some calls in raw SQL, most of them as the guards of their kinds demand, in random groups. What
 * was reached is counted, so that no rule is right only because nothing came to it.
 */

const CALLS = 4;
const BEGINS = ['intent', 'repeat', 'retry', 'refresh'];
const ENDS = ['answered', 'lost', 'lost_beside', 'unsold'];
const OTHERS = ['decided', 'told', 'read', 'released', 'retracted', 'reading', 'look', 'freed', 'counted'];
const REPLIES = ['reply', 'late'];
const KINDS = [...BEGINS, ...REPLIES, ...ENDS, ...OTHERS] as readonly Kind[];

interface Step {
  readonly call: number;
  readonly kind: Kind | 'commit';
  /** Whether it points to any attempt of the call. */
  readonly isWild: boolean;
  /** A number from which all else follows. */
  readonly pick: number;
  /** What is decided, where the next entry goes by it. */
  readonly said?: Kind | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  call: fc.nat({ max: CALLS - 1 }),
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<Step['kind']>('intent', 'reply', 'answered', 'lost', 'repeat') },
    {
      weight: 6,
      arbitrary: fc.constantFrom<Step['kind']>('decided', 'refresh', 'look', 'released', 'retracted'),
    },
    { weight: 5, arbitrary: fc.constantFrom<Step['kind']>(...KINDS) },
    { weight: 2, arbitrary: fc.constant('commit' as const) },
  ),
  isWild: fc.constantFrom(false, false, false, false, true),
  pick: fc.nat({ max: 999 }),
});

/** Entries of a call that follow each other, for what is rare among any entries. */
const CHAINS: readonly (readonly Kind[])[] = [
  ['intent', 'reply', 'answered', 'refresh', 'reply', 'retracted', 'answered'],
  ['intent', 'lost', 'decided', 'repeat', 'lost', 'decided', 'repeat', 'reply', 'answered'],
  ['intent', 'lost', 'decided', 'repeat', 'told', 'lost'],
  ['intent', 'lost', 'decided', 'retry', 'lost', 'told'],
  ['intent', 'lost', 'late', 'decided', 'retry', 'read', 'unsold'],
  ['intent', 'reply', 'lost', 'decided', 'retry', 'read', 'unsold'],
  ['intent', 'lost', 'decided', 'repeat', 'lost', 'look', 'look', 'released'],
];
const chain: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.constantFrom(...CHAINS), fc.nat({ max: CALLS - 1 }), fc.infiniteStream(fc.nat({ max: 999 })))
  .map(([kinds, of, picks]) =>
    kinds.map((kind, at) => ({
      ...{ call: of, kind, isWild: false, pick: picks.next().value ?? 0 },
      ...(kind === 'decided' ? { said: kinds[at + 1] } : {}),
    })),
  );
const steps = fc
  .array(fc.oneof({ weight: 13, arbitrary: step.map((one) => [one]) }, { weight: 3, arbitrary: chain }), {
    minLength: 50,
    maxLength: 120,
  })
  .map((parts) => parts.flat());

/** What came about in any of the histories. */
const reached = new Map<string, number>();
const reach = (what: string): void => void reached.set(what, (reached.get(what) ?? 0) + 1);

/** The key under which the request was kept that the call is in doubt about. */
const KEPT = 'SELECT r.idempotency_key FROM calls c JOIN requests r ON r.attempt = c.stands WHERE c.id = ?';

/** A book of its own in memory, and what the rules have to know of it. */
class History {
  readonly #database = new Database(':memory:');
  readonly #calls: { id: number; entries: Happened[] }[] = [];
  /** Whether something was refused since something was written in this group. */
  #refused: 'nothing' | 'before' | 'between' = 'nothing';

  constructor() {
    this.#database.pragma('foreign_keys = ON');
    this.#database.pragma('recursive_triggers = ON');
    this.#database.exec(schema());
    // An account for each call, because an answer to one would end the series of misses of another.
    for (let account = 1; account <= CALLS; account += 1)
      this.#database.exec(insertion('accounts', { id: account, identity: quoted(String(account)) }));
    this.#database.exec('BEGIN');
  }

  close(): void {
    this.#database.close();
  }

  /** A batch of one account; what another bought is always too old for it. */
  #batch(account: number, other: boolean): number {
    const id = account * 2 + (other ? 1 : 0);
    const cells = {
      id,
      ordinal: id,
      key: quoted(`k${id}`),
      generation: 1,
      lineage: quoted(`l${id}`),
      account,
    };
    const asked = { account_name: "'a'", sandbox: 0, vendor: "'v'", operation: "'x'", input_path: "'i'" };
    const rest = { input_sha256: "'s'", input_rows: 1, settings: "'{}'", created_at: 0, state: "'open'" };
    const old = { fresh_found: NOON_MS + 9 * DAY_MS, fresh_no_match: NOON_MS + 9 * DAY_MS };
    if (this.#one('SELECT 1 FROM batches WHERE id = ?', id) === undefined)
      this.#database.exec(insertion('batches', { ...cells, ...asked, ...rest, ...old }));
    return id;
  }

  #one(sql: string, ...values: number[]): number | undefined {
    return (
      this.#database
        .prepare<number[], number>(sql)
        .pluck()
        .get(...values) ?? undefined
    );
  }

  take(step: Step): void {
    const { kind: asked } = step;
    if (asked === 'commit' || (asked === 'retracted' && !step.isWild)) this.#commit();
    if (asked === 'commit') return;
    const known = this.#calls[step.call];
    if (known === undefined && !BEGINS.includes(asked)) return;
    const entries = known?.entries ?? [];
    const id = known?.id ?? this.#one(`SELECT ${NEXT}`) ?? 0;
    const before = replayed(entries) ?? NOTHING_STANDS;
    const of = this.#attempt(step, asked, before, entries) ?? id;
    const kind = REPLIES.includes(asked) ? this.#replyTo(of) : asked;
    this.#database.exec('SAVEPOINT entry');
    try {
      if (known === undefined) this.#database.exec(call({ account: step.call + 1 }));
      const batch = this.#batch(step.call + 1, step.pick % 2 === 1);
      const written = this.#write(kind, { ...step, call: id, of, batch });
      this.#compare(id, [...entries, ...written], before);
      this.#calls[step.call] = { id, entries: [...entries, ...written] };
      for (const entry of written) reach(entry.kind);
      this.#database.exec('RELEASE entry');
      if (this.#refused === 'between') reach('a refused write in the middle of a group');
      this.#refused = 'before';
    } catch (error) {
      this.#database.exec('ROLLBACK TO entry; RELEASE entry');
      this.#expectRefused(error, { id, before, kind, of, entries });
    }
  }

  /** What comes back is a reply where its attempt is open, and late where that was lost. */
  #replyTo(of: number): Kind {
    return this.#one('SELECT 1 FROM losses WHERE attempt = ?', of) === undefined ? 'reply' : 'late';
  }

  #attempt(
    { isWild, pick }: Step,
    kind: Kind,
    before: Standing,
    entries: readonly Happened[],
  ): number | undefined {
    const attempts = entries.filter((entry) => BEGINS.includes(entry.kind));
    const any = attempts[pick % Math.max(1, attempts.length)]?.of;
    return isWild ? any : (this.#about(kind, before) ?? any);
  }

  /** To which attempt an entry of that kind belongs. */
  #about(kind: Kind, { stands, open }: Standing): number | undefined {
    if (kind === 'reply' || ENDS.includes(kind)) return open ?? undefined;
    return OTHERS.includes(kind) || kind === 'refresh' || kind === 'late' ? (stands ?? undefined) : undefined;
  }

  /** @returns what was written: the entry, and those that have to follow it. */
  #write(kind: Kind, of: Written): readonly Happened[] {
    if (BEGINS.includes(kind)) return this.#begin(kind, of);
    if (REPLIES.includes(kind))
      return this.#add(kind, of.of, reply(of.of, { call: of.call, status: statusOf(of) }));
    return ENDS.includes(kind) ? this.#end(kind, of) : this.#note(kind, of);
  }

  #add(kind: Kind, of: number, sql: string, sees: number | null = null): readonly Happened[] {
    const id = this.#one(`SELECT ${NEXT}`) ?? 0;
    this.#database.exec(sql);
    return [{ id, kind, of: BEGINS.includes(kind) ? id : of, sees }];
  }

  #begin(kind: Kind, { call: id, of, batch, pick, isWild }: Written): readonly Happened[] {
    const next = this.#one(`SELECT ${NEXT}`) ?? 0;
    const decided = isWild ? undefined : this.#decision(kind, id);
    const sees = kind === 'intent' ? null : (decided?.id ?? of);
    const isKeyed = kind === 'repeat' && this.#one(KEPT, id) !== undefined;
    const cells = {
      kind: quoted(kind),
      sees: sees ?? 'NULL',
      batch: decided?.batch ?? (kind === 'refresh' ? this.#another(of, batch) : batch),
      at: NOON_MS + (pick % 3) * DAY_MS,
      reserved: isKeyed ? 0 : pick % 4,
    };
    const begun = this.#add(kind, next, attempt(id, cells), sees);
    const key = isKeyed ? `(${KEPT.replace('?', String(id))})` : quoted(`key ${next}`);
    const kept = { attempt: next, idempotency_key: key, method: "'POST'", path: "'/'", first_sent_at: 0 };
    if (isKeyed || (kind === 'intent' && pick % 3 > 0))
      this.#database.exec(insertion('requests', { ...kept, sum: 0, content_sum: 0 }));
    return begun;
  }

  /** The newest decision to send the call again in that way. */
  #decision(kind: Kind, id: number): { readonly id: number; readonly batch: number } | undefined {
    return this.#database
      .prepare<[number, string], { id: number; batch: number }>(
        `SELECT d.id, d.batch FROM notes d JOIN calls c ON c.id = d.call AND c.stands = d.of
          WHERE d.call = ? AND d.kind = 'decided' AND d.said = ? ORDER BY d.id DESC LIMIT 1`,
      )
      .get(id, kind);
  }

  /** Another batch of the account than the one that bought an answer: to itself, what it bought is always fresh. */
  #another(of: number, batch: number): number {
    const by = this.#one('SELECT batch FROM attempts WHERE id = ?', of) ?? batch;
    return this.#batch(Math.floor(by / 2), by % 2 === 0);
  }

  #end(kind: Kind, { call: id, of, pick, isWild }: Written): readonly Happened[] {
    if (kind !== 'answered') {
      const beside = `SELECT 1 FROM calls c WHERE c.id = ? AND c.state = 'answered'
        AND NOT EXISTS (SELECT 1 FROM unanswered WHERE attempt = c.stands)`;
      const lost = this.#one(beside, id) === undefined ? 'lost' : 'lost_beside';
      const as = kind === 'unsold' || isWild ? kind : lost;
      return this.#add(as, of, end(of, as, { call: id }));
    }
    const status = this.#one('SELECT status FROM replies WHERE of = ?', of) ?? 200;
    const under = this.#under(of);
    const said = status === 404 ? { said: "'no_match'", spent: 0 } : { said: "'found'", spent: pick % 3 };
    const cells = { call: id, status, pays: under[0]?.attempt ?? 'NULL', ...said };
    const answered = this.#add(kind, of, end(of, 'answered', cells));
    const days = new Set(under.map(({ day }) => day));
    if (days.size > 1) reach('an answer under a key for losses of two days');
    return [...answered, ...this.#free(under, answered[0]?.id ?? 0)];
  }

  #under(of: number): readonly Loss[] {
    return this.#database
      .prepare<[number], Loss>(
        `SELECT l.attempt, l.holds, a.at / ${DAY_MS} AS day FROM requests r
           JOIN requests o ON o.idempotency_key = r.idempotency_key AND o.attempt < r.attempt
           JOIN losses l ON l.attempt = o.attempt AND l.ended IS NULL JOIN attempts a ON a.id = l.attempt
          WHERE r.attempt = ? ORDER BY l.attempt`,
      )
      .all(of);
  }

  #free(losses: readonly Loss[], sees: number): readonly Happened[] {
    return losses.flatMap(({ attempt: of, holds }) =>
      this.#add('freed', of, note('freed', of, { sees, held: -holds }), sees),
    );
  }

  #note(kind: Kind, { call: id, of, batch, pick, said }: Written): readonly Happened[] {
    const holds = this.#one('SELECT holds FROM losses WHERE attempt = ? AND ended IS NULL', of) ?? 0;
    if (kind === 'told') return this.#tell(id, of, batch, holds);
    if (kind === 'released') return this.#release(id, of, holds);
    if (kind === 'retracted') return this.#retract(id, of);
    const word = (...words: readonly string[]): string => quoted(words[pick % words.length] ?? '');
    const pays = `(SELECT pays FROM ends WHERE of = ${of} AND kind = 'answered')`;
    const cells: Partial<Record<Kind, Cells>> = {
      decided: { batch, said: said === undefined ? word('repeat', 'retry', 'hold') : quoted(said) },
      look: { said: word('unclear', 'not_happened', 'not_happened') },
      read: { said: "'found'", spent: holds, held: -holds },
      reading: { said: word('found', 'no_match', 'paused'), pays },
      counted: { held: -holds, spent: holds },
      freed: { held: -holds },
    };
    return this.#add(kind, of, note(kind, of, { call: id, ...cells[kind] }));
  }

  #release(id: number, of: number, holds: number): readonly Happened[] {
    const under = this.#under(of);
    const others = [of, ...under.map((loss) => loss.attempt)].join(', ');
    const doubt = `SELECT max(attempt) FROM losses WHERE call = ? AND ended IS NULL AND attempt NOT IN (${others})`;
    const sees =
      this.#one(doubt, id) ?? this.#one('SELECT max(attempt) FROM standing_answers WHERE call = ?', id);
    const sql = note('released', of, { sees: sees ?? 'NULL', held: -holds });
    const released = this.#add('released', of, sql, sees ?? null);
    return [...released, ...this.#free(under, released[0]?.id ?? 0)];
  }

  #retract(id: number, of: number): readonly Happened[] {
    const sql = `SELECT max(attempt) FROM standing_answers WHERE call = ? AND attempt <> ${of}`;
    const below = this.#one(sql, id) ?? null;
    return this.#add('retracted', of, note('retracted', of, { sees: below ?? 'NULL' }), below);
  }

  #tell(id: number, of: number, batch: number, holds: number): readonly Happened[] {
    const lost = this.#database
      .prepare<number[], Loss>(
        'SELECT attempt, holds, 0 AS day FROM losses WHERE call = ? AND ended IS NULL AND attempt <> ?',
      )
      .all(id, of);
    const told = this.#add(
      'told',
      of,
      note('told', of, { call: id, batch, said: "'told'", spent: holds, held: -holds }),
    );
    const sees = told[0]?.id ?? 0;
    return [
      ...told,
      ...lost.flatMap(({ attempt: other, holds: each }) =>
        this.#add('counted', other, note('counted', other, { sees, spent: each, held: -each }), sees),
      ),
    ];
  }

  /** The rules and the database stand at the same place. */
  #compare(id: number, entries: readonly Happened[], before: Standing): void {
    const after = this.#standing(id);
    expect(replayed(entries)).toEqual(after);
    reach(place(after));
    this.#constellations(entries.at(-1)?.kind, before, after, id);
  }

  #constellations(kind: Kind | undefined, before: Standing, after: Standing, id: number): void {
    const phased = after.phase !== null;
    if (kind === 'refresh' && after.state === 'answered' && phased) reach('a refresh beside an answer');
    if (kind === 'repeat' && after.state === 'doubt' && phased) reach('a repeat beside a doubt');
    if (
      before.state === 'doubt' &&
      after.state === 'answered' &&
      phased &&
      before.phase !== null &&
      kind !== 'read'
    )
      reach('told while it is sent again');
    if (kind === 'retracted' && before.phase !== null) reach('a retraction under a refresh');
    const losses = this.#one('SELECT count(*) FROM losses WHERE call = ? AND ended IS NULL', id) ?? 0;
    if (losses > 1) reach('two losses of a call');
  }

  #standing(id: number): Standing {
    const sql = 'SELECT state, stands, phase, open FROM places WHERE call = ?';
    return this.#database.prepare<[number], Standing>(sql).get(id) ?? NOTHING_STANDS;
  }

  /** What the list does not have is refused for that reason, unless a guard of its kind comes first; and nothing has moved. */
  #expectRefused(error: unknown, { id, before, kind, of, entries }: Refused): void {
    if (!(error instanceof Database.SqliteError)) throw error;
    expect(error.message).toMatch(/^money rule|UNIQUE constraint failed/);
    if (entries.length > 0) expect(this.#standing(id)).toEqual(before);
    if (error.message.includes('no such entry follows')) {
      reach('a move that the list does not have');
      const single = { id: Number.MAX_SAFE_INTEGER, kind, of, sees: null };
      // A loss beside an answer is written as what it is.
      if (!ENDS.includes(kind)) expect(replayed([...entries, single])).toBeUndefined();
    }
    if (this.#refused === 'before') this.#refused = 'between';
  }

  #commit(): void {
    this.#refused = 'nothing';
    this.#database.exec(`${BOOK} COMMIT; BEGIN`);
    const month = (column: string): string => `SELECT sum(${column}) FROM totals WHERE scope LIKE 'month:%'`;
    expect(this.#one(month('held')) ?? 0).toBe(
      this.#one('SELECT sum(holds) FROM losses WHERE ended IS NULL') ?? 0,
    );
    const open = 'SELECT sum(a.reserved) FROM calls c JOIN attempts a ON a.id = c.open';
    expect(this.#one(month('reserved')) ?? 0).toBe(this.#one(open) ?? 0);
  }
}

interface Written {
  readonly call: number;
  readonly of: number;
  readonly batch: number;
  readonly pick: number;
  readonly isWild: boolean;
  readonly said?: Kind | undefined;
}

interface Loss {
  readonly attempt: number;
  readonly holds: number;
  readonly day: number;
}

interface Refused {
  readonly id: number;
  readonly before: Standing;
  readonly kind: Kind;
  readonly of: number;
  readonly entries: readonly Happened[];
}

const statusOf = ({ pick }: Written): number => (pick % 5 < 3 ? 404 : 200);

const place = ({ state, phase }: Standing): string => `${state} ${phase ?? 'and nothing under way'}`;

test('the rules and the database say the same of where a call stands, after any entries', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const history = new History();
      try {
        for (const each of taken) history.take(each);
      } finally {
        history.close();
      }
    }),
    { numRuns: times(5, 20) },
  );
  const places = ['free', 'answered', 'doubt'].flatMap((state) =>
    ['and nothing under way', ...PHASES].map((phase) => `${state} ${phase}`),
  );
  const constellations = [
    ...['a refresh beside an answer', 'a repeat beside a doubt', 'told while it is sent again'],
    ...[
      'two losses of a call',
      'an answer under a key for losses of two days',
      'a retraction under a refresh',
    ],
    ...['a refused write in the middle of a group', 'a move that the list does not have'],
  ];
  const never = [...places, ...KINDS, ...constellations].filter((what) => !reached.has(what));
  expect(never).toEqual([]);
});
