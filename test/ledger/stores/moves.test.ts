import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { type AttemptId, recordReply } from '../../../src/ledger/ledger.ts';
import { type Kind, MOVES, PHASES, TRANSITIONS } from '../../../src/ledger/rules/moves.ts';
import sqlite from '../../../src/ledger/stores/sqlite.ts';
import {
  admitted,
  answered,
  batchNamed,
  DAY_MS,
  decide,
  lost,
  NOON_MS,
  released,
  replyWith,
} from './book.ts';
import { openStore, temporaryFolder } from './places.ts';
import { attempt, end, NEXT, note, reply } from './raw.ts';
import { guardsOf, tryOut } from './refusals.ts';

/**
 * Goal: an entry moves its call as the list of moves says, and one that the list does not have is refused, whatever the code
 * does.
 * Method: the list is written down once more, by hand; each entry is then written in raw SQL to a call in each of the nine
 * places, in a store whose guards of single kinds are taken out.
 */

/** What stands (F nothing, A an answer, D a doubt), and how far the open attempt is (s sent, r replied). */
const PLACES = ['F', 'Fs', 'Fr', 'A', 'As', 'Ar', 'D', 'Ds', 'Dr'] as const;
type Place = (typeof PLACES)[number];

/** Where each kind leads from each place. `.`: it is refused. `<`: to what stood before, which is nothing here. */
const LIST: Readonly<Record<Kind, string>> = {
  //           F  Fs Fr A  As Ar D  Ds Dr
  intent: '    Fs .  .  .  .  .  .  .  .',
  repeat: '    .  .  .  .  .  .  Ds .  .',
  retry: '     .  .  .  .  .  .  Ds .  .',
  refresh: '   .  .  .  As .  .  .  .  .',
  reply: '     .  Fr .  .  Ar .  .  Dr .',
  late: '      F  Fs Fr A  As Ar D  Ds Dr',
  answered: '  .  .  A  .  .  A  .  .  A',
  lost: '      .  D  D  .  D  D  .  D  D',
  lost_beside: '.  .  .  .  A  A  .  .  .',
  unsold: '    .  F  F  .  A  A  .  D  D',
  decided: '   .  .  .  .  .  .  D  Ds Dr',
  told: '      .  .  .  .  .  .  A  As Ar',
  read: '      .  .  .  .  .  .  A  As Ar',
  released: '  .  .  .  .  .  .  F  .  .',
  retracted: ' .  .  .  F  Fs Fr .  .  .',
  reading: '   F  Fs Fr A  As Ar D  Ds Dr',
  look: '      F  Fs Fr A  As Ar D  Ds Dr',
  freed: '     F  Fs Fr A  As Ar D  Ds Dr',
  counted: '   F  Fs Fr A  As Ar D  Ds Dr',
};
const KINDS = Object.keys(LIST) as Kind[];

const leadsTo = (kind: Kind, place: Place): string =>
  LIST[kind].trim().split(/\s+/)[PLACES.indexOf(place)] ?? '';

const folder = temporaryFolder(afterAll);
const ledger = await openStore(sqlite, folder);
const batch = await batchNamed(ledger, 'a');
const late = await batchNamed(ledger, 'late', { freshSince: { foundMs: NOON_MS + DAY_MS } });

/** The attempts to which each call points; the one that stands and the one that is open. */
interface Points {
  readonly stands?: AttemptId;
  readonly open?: AttemptId;
  /** An attempt of the call that is neither. */
  readonly other: AttemptId;
}

async function made(place: Place): Promise<Points> {
  const other = await lost(ledger, batch, place);
  await released(ledger, other);
  const stands = await standing(place);
  if (place.length === 1) return { other, ...(stands === undefined ? {} : { stands }) };
  const again = place.startsWith('D') ? { decision: await decide(ledger, late, place, 'retry') } : {};
  const replaces = place.startsWith('A') && stands !== undefined ? { replaces: stands } : {};
  const open = await admitted(ledger, late, place, { ...again, ...replaces });
  if (place.endsWith('r')) await recordReply(ledger, open, replyWith('x'));
  return { other, open, ...(stands === undefined ? {} : { stands }) };
}

async function standing(place: Place): Promise<AttemptId | undefined> {
  if (place.startsWith('A')) return answered(ledger, batch, place);
  return place.startsWith('D') ? lost(ledger, batch, place) : undefined;
}

const points = new Map<Place, Points>();
for (const place of PLACES) points.set(place, await made(place));
await ledger.close();

const database = new Database(join(folder, 'ledger.db'));
database.pragma('recursive_triggers = ON');
afterAll(() => void database.close());
/** What a kind demands beside the list. */
const OF_KINDS = /^(attempts|replies|ends|notes)_(?!move$)/;
for (const guard of guardsOf(database)) if (OF_KINDS.test(guard)) database.exec(`DROP TRIGGER ${guard}`);

const callIn = (place: Place): number => points.get(place)?.other ?? 0;
const headIn = (place: Place): number =>
  database.prepare<[number], number>('SELECT head FROM calls WHERE id = ?').pluck().get(callIn(place)) ?? 0;

const BEGINS = ['intent', 'repeat', 'retry', 'refresh'];
const ENDS = ['answered', 'lost', 'lost_beside', 'unsold'];
/** An attempt has one end, so what is refused for an end is tried about one that has none. */
const NO_ATTEMPT = 99_999;

function entry(kind: Kind, place: Place, of: number): string {
  const call = callIn(place);
  if (BEGINS.includes(kind))
    return attempt(call, { kind: `'${kind}'`, sees: kind === 'intent' ? 'NULL' : of });
  if (kind === 'reply' || kind === 'late') return reply(of, { call });
  return ENDS.includes(kind) ? end(of, kind, { call }) : note(kind, of);
}

/** To which attempt an entry of the kind has to point. */
function about(kind: Kind, place: Place): number {
  const { open, stands, other = 0 } = points.get(place) ?? {};
  const names = MOVES.find((move) => move.kind === kind)?.names;
  return (names === 'open' ? open : names === 'stands' ? stands : other) ?? other;
}

const letterOf = (phase: unknown): string => (phase === PHASES[0] ? 's' : 'r');

interface Found {
  readonly place: string;
  readonly stands: number | null;
  readonly open: number | null;
  readonly head: number;
}

/** Where the entry leaves its call. */
function writtenTo(place: Place, sql: string): Found | undefined {
  let found: Found | undefined;
  database.function('seen', { varargs: true }, (state, phase, stands, open, head) => {
    const stood = { free: 'F', answered: 'A', doubt: 'D' }[state as string] ?? '?';
    const phased = phase === null ? '' : letterOf(phase);
    found = { place: stood + phased, stands, open, head } as Found;
    return 0;
  });
  tryOut(
    database,
    `${sql} UPDATE accounts SET misses = seen(c.state, c.phase, c.stands, c.open, c.head) FROM places c
      WHERE c.call = ${callIn(place)} AND accounts.id = 1`,
  );
  return found;
}

/** @param next the number of the next entry; a reply has none. */
function after(kind: Kind, place: Place, next: number): Found {
  const to = leadsTo(kind, place);
  const head = kind === 'reply' || kind === 'late' ? headIn(place) : next;
  const { open = null, stands = null } = points.get(place) ?? {};
  const stood = kind === 'answered' || kind === 'lost' ? open : stands;
  return {
    place: to,
    stands: to.startsWith('F') ? null : stood,
    open: to.length === 1 ? null : BEGINS.includes(kind) ? next : open,
    head,
  };
}

const REFUSED = 'money rule: no such entry follows where its call stands';

describe('where a call stands', () => {
  test('is one of nine places, and all of them are here', () => {
    for (const place of PLACES) expect(writtenTo(place, '')).toMatchObject({ place });
  });

  describe.each(PLACES)('%s', (place) => {
    test.each(KINDS.filter((kind) => leadsTo(kind, place) === '.'))('%s is refused', (kind) => {
      const of = ENDS.includes(kind) || kind === 'reply' ? NO_ATTEMPT : about(kind, place);
      expect(() => writtenTo(place, entry(kind, place, of))).toThrow(REFUSED);
    });

    test.each(KINDS.filter((kind) => leadsTo(kind, place) !== '.'))(
      '%s moves the call as the list says',
      (kind) => {
        const next = database.prepare<[], number>(`SELECT ${NEXT}`).pluck().get() ?? 0;
        expect(writtenTo(place, entry(kind, place, about(kind, place)))).toEqual(after(kind, place, next));
      },
    );

    test('an entry that points to another attempt of the call than it has to is refused', () => {
      const { other = 0 } = points.get(place) ?? {};
      for (const { kind, names } of MOVES) {
        if (names === 'any' || leadsTo(kind, place) === '.') continue;
        const of = ENDS.includes(kind) || kind === 'reply' ? NO_ATTEMPT : other;
        expect(() => writtenTo(place, entry(kind, place, of)), kind).toThrow(REFUSED);
      }
    });
  });

  test('is moved by the code as well as this list says', () => {
    const written = KINDS.flatMap((kind) =>
      PLACES.flatMap((place) => (leadsTo(kind, place) === '.' ? [] : [`${kind}: ${place}`])),
    );
    const short = (stands: string, phase: string | undefined): string =>
      stands.slice(0, 1).replace('f', 'F').replace('a', 'A').replace('d', 'D') +
      (phase === undefined ? '' : letterOf(phase));
    const listed = TRANSITIONS.map(({ kind, from }) => `${kind}: ${short(from.stands, from.phase)}`);
    expect(listed.sort()).toEqual(written.sort());
  });
});
