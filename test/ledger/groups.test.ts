import { expect, test } from 'vitest';
import { budgetName, setCap } from '../../src/ledger/money.ts';
import { type Group, isPlain, recountBudgets } from '../../src/ledger/transitions.ts';
import { type Random, randomFrom } from '../../src/sandbox/random.ts';
import { times } from '../support/combinations.ts';
import { answer, doubt, postgresTables, reply, sqliteTables, type Tables, uncharged } from './plain.ts';

/**
 * Goal: whatever a group ends, sends again and buys at once, `held` is what open and doubtful attempts reserve, and both databases say the
 * same.
 * Method: random histories of two questions, each of another account, in groups and transactions of several workers, written into both. What a group is refused
 * for is tried alone, as the ledger does.
 */

interface Call {
  readonly id: number;
  readonly text: string;
  readonly state: string;
  readonly kind: string;
  readonly payer: number | null;
  readonly request: string | null;
}

/** Each question is one of another account. */
const accountOf = (text: string): number => (text.startsWith('one') ? 1 : 2);

class History {
  readonly #both: readonly [Tables, Tables];
  readonly #texts: ReadonlyMap<string, string>;
  readonly #random: Random;
  readonly #batches: readonly [string, string];
  /** What a process has under way as first attempts. */
  readonly #first = new Set<number>();

  constructor(both: readonly [Tables, Tables], seed: number) {
    this.#both = both;
    this.#random = randomFrom('groups', seed);
    const name = seed.toString(16).padStart(7, '0');
    this.#batches = [`a${name}`, `b${name}`];
    this.#texts = new Map(['one', 'two'].map((text) => [`${text} ${seed}`, text]));
  }

  async begin(): Promise<void> {
    for (const tables of this.#both) {
      await tables.batch(this.#batches[0], { accounts: [1, 2] });
      // It finds every answer too old, and spends little at the second account.
      await tables.batch(this.#batches[1], { accounts: [1, 2], fresh: 9e15, extra: 9 });
      const share = budgetName('share', { batch: this.#batches[1], account: 2 });
      await tables.transaction((sql) => setCap(sql, share, 4));
    }
  }

  #below(below: number): number {
    return this.#random.integer(0, below - 1);
  }

  async #attempts(): Promise<readonly Call[]> {
    const sql = `SELECT id, operation AS text, state, kind, payer, request FROM attempts WHERE batch IN (?, ?) ORDER BY id`;
    return this.#both[0].db.rows<Call>(sql, this.#batches);
  }

  /** A turn of some workers. */
  async turn(): Promise<void> {
    const attempts = await this.#attempts();
    const lost = attempts.filter(({ state }) => ['doubt', 'doubt_beside', 'retried'].includes(state));
    if (lost.length > 0 && this.#below(5) === 0) {
      const { id } = this.#random.pick(lost);
      const isReleased = this.#below(2) === 0;
      return this.#same((tables, number) =>
        isReleased ? tables.release(id, 'first', number) : tables.tell(id, 'first', number),
      );
    }
    const group = {
      ends: attempts.flatMap((attempt) => this.#endOf(attempt)),
      intents: await this.#intents(attempts),
    };
    const replies = group.ends
      .filter(({ state }) => state === 'answered')
      .map(({ attempt }) => reply(attempt));
    if (await this.#write({ replies, ...group })) return;
    for (const one of replies) await this.#write({ replies: [one] });
    for (const end of group.ends) await this.#write({ ends: [end] });
    for (const intent of group.intents) await this.#write({ intents: [intent] });
  }

  #endOf({ id, state, kind }: Call): Group['ends'] {
    const isLeft =
      state === 'open'
        ? this.#below(3) > 0
        : ['doubt', 'doubt_beside', 'retried'].includes(state) && this.#below(2) === 0;
    if (!isLeft) return [];
    const how = this.#below(kind === 'repeat' ? 4 : 6);
    if (how < 3) return [answer(id, this.#below(3))];
    return how === 3 || how === 4 ? [doubt(id)] : [uncharged(id)];
  }

  async #intents(attempts: readonly Call[]): Promise<Group['intents']> {
    const intents: Group['intents'][number][] = [];
    for (const text of this.#texts.keys()) {
      if (this.#below(2) === 0) continue;
      const own = attempts.filter((attempt) => attempt.text === text);
      const last = own.find(({ state }) => state === 'doubt' || state === 'answered');
      const operation = text;
      const [batch, more] =
        last === undefined
          ? [this.#random.pick(this.#batches), { request: this.#below(4) === 0 ? null : 'r' }]
          : last.state === 'answered'
            ? [this.#batches[1], { kind: 'refresh', prior: last.id, replaces: last.id, request: 'r' }]
            : [this.#batches[1], await this.#again(last)];
      const [one] = this.#both;
      intents.push(
        one.intent(batch, text, {
          operation,
          account: accountOf(text),
          reserve: 'payer' in more && more.payer ? 0 : 1 + this.#below(2),
          ...more,
        }),
      );
    }
    return intents;
  }

  async #again({ id, payer, request }: Call) {
    const kind = request !== null && this.#below(3) > 0 ? 'repeat' : 'retry';
    const [decision] = await Promise.all(
      this.#both.map((tables) => tables.decide(id, this.#batches[1], kind)),
    );
    return {
      kind,
      prior: id,
      decision: decision ?? 0,
      request,
      payer: kind === 'repeat' ? (payer ?? id) : null,
    };
  }

  /** @returns whether it was written. */
  async #write(group: Partial<Group>): Promise<boolean> {
    let isWritten = true;
    const first = new Set(this.#first);
    for (const { attempt } of group.ends ?? []) this.#first.delete(attempt);
    for (const intent of group.intents ?? []) if (isPlain(intent)) this.#first.add(intent.id);
    await this.#same(
      async (tables, number) => {
        const copies = (group.intents ?? []).map((intent) => ({ ...intent }));
        const written = await tables.write({ ...group, intents: copies }, 'first', { number, first });
        return [...written].toSorted();
      },
      () => {
        isWritten = false;
      },
    );
    return isWritten;
  }

  /** Both do it, or both refuse it. */
  async #same(
    work: (tables: Tables, number: number) => Promise<unknown>,
    refused = (): void => {},
  ): Promise<void> {
    const number = this.#both[0].number();
    const [one, other] = await Promise.all(
      this.#both.map((tables) =>
        work(tables, number).catch(
          (error: Error) => `refused: ${error.message.replace(/^UNIQUE.*/, 'unique')}`,
        ),
      ),
    );
    expect(typeof one === 'string', `${one} ${other}`).toBe(typeof other === 'string');
    if (typeof one === 'string') refused();
    else expect(one).toEqual(other);
    const [books, others] = await Promise.all(this.#both.map((tables) => this.#books(tables)));
    expect(books).toEqual(others);
    for (const tables of this.#both) expect(await recountBudgets(tables.db)).toEqual([]);
  }

  async #books(tables: Tables) {
    const attempts = `SELECT id, operation, kind, state, is_current, prior, payer, reserved, charged FROM attempts WHERE batch IN (?, ?) ORDER BY id`;
    const money =
      'SELECT kind, batch, account, period, spent, held, overrun FROM budgets ORDER BY 1, 2, 3, 4';
    return { attempts: await tables.db.rows(attempts, this.#batches), money: await tables.db.rows(money) };
  }
}

test('groups of any kind leave what they hold in the books, the same in both databases', {
  timeout: 300_000,
}, async () => {
  const both = [await sqliteTables(), await postgresTables()] as const;
  for (let seed = 0; seed < times(12, 100); seed += 1) {
    const history = new History(both, seed);
    await history.begin();
    for (let turn = 0; turn < 20; turn += 1)
      await history.turn().catch((error: Error) => {
        error.message = `history ${seed}, turn ${turn}: ${error.message}`;
        throw error;
      });
  }
});
