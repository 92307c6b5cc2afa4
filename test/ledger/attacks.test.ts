import { describe, expect, test } from 'vitest';
import { budgetName, setCap } from '../../src/ledger/money.ts';
import { recountBudgets } from '../../src/ledger/transitions.ts';
import {
  accepted,
  answer,
  DATABASES,
  doubt,
  keyOf,
  NOW,
  notServed,
  reply,
  type Tables,
  uncharged,
} from './plain.ts';

// Goal: code that is wrong, or two who do the same at once, cannot make a credit be spent twice, nor a budget be passed.
// Method: groups and plain SQL that attack each rule of the tables. After each attack the books are added up anew.

describe.each(DATABASES)('on %s', (_, open) => {
  const attack = (name: string, work: (tables: Tables, batch: string) => Promise<void>): void => {
    test(name, async () => {
      const tables = await open();
      await work(tables, await tables.batch('0000000b'));
      expect(await recountBudgets(tables.db)).toEqual([]);
    });
  };

  describe('an attempt that is ended twice', () => {
    const ways = { answer, doubt, uncharged } as const;
    for (const [first, second, stands] of [
      ['answer', 'answer', 'answered'],
      ['uncharged', 'uncharged', 'uncharged'],
      ['uncharged', 'doubt', 'uncharged'],
      ['doubt', 'answer', 'answered'],
      ['answer', 'doubt', 'answered'],
      ['answer', 'uncharged', 'answered'],
    ] as const) {
      attack(`in one group, ${first} and ${second}, is ${stands}`, async (tables, batch) => {
        const { attempt } = await tables.ask(batch, 'acme');
        await tables.write({
          replies: [reply(attempt)],
          ends: [ways[first](attempt), ways[second](attempt)],
        });
        expect(await tables.state(attempt)).toBe(stands);
      });
    }
  });

  attack('what the vendor says twice that it has not served is in doubt', async (tables, batch) => {
    const first = await tables.ask(batch, 'acme');
    expect(await tables.write({ ends: [notServed(first.attempt)] })).toContain(first.attempt);
    const second = await tables.ask(batch, 'acme');
    // Who ended it is told that it ended otherwise, and reads the call again.
    expect(await tables.write({ ends: [notServed(second.attempt)] })).not.toContain(second.attempt);
    expect([await tables.state(first.attempt), await tables.state(second.attempt)]).toEqual([
      'uncharged',
      'doubt',
    ]);
    expect(await tables.money(batch)).toEqual({ spent: 0, held: second.reserved });
    expect((await tables.ask(batch, 'acme')).reserved).toBeUndefined();
  });

  attack('code that frees a call twice as not served is refused by the tables', async (tables, batch) => {
    const attempts = [];
    for (const end of [notServed, uncharged]) {
      const { attempt } = await tables.ask(batch, 'acme');
      await tables.write({ ends: [end(attempt)] });
      attempts.push(attempt);
    }
    const frees = `UPDATE attempts SET said = 'not_served' WHERE id = ${attempts[1]}`;
    await expect(tables.transaction((sql) => sql.rows(frees))).rejects.toThrow(/unique|attempts_not_served/i);
  });

  attack('what two ask at once is bought once', async (tables, batch) => {
    const asked = await Promise.all([tables.ask(batch, 'acme'), tables.ask(batch, 'acme', {}, 'second')]);
    expect(asked.filter(({ reserved }) => reserved !== undefined)).toHaveLength(1);
    const twice = [tables.intent(batch, 'other'), tables.intent(batch, 'other')];
    expect((await tables.write({ intents: twice })).size).toBe(1);
    expect(await tables.money(batch)).toEqual({ spent: 0, held: 2 });
  });

  attack('the last credits are used, and not one more', async (tables) => {
    const batch = await tables.batch('0000000c', { cap: 5 });
    const intents = [3, 3, 1, 1].map((reserve, at) => tables.intent(batch, `key ${at}`, { reserve }));
    expect((await tables.write({ intents })).size).toBe(3);
    expect(await tables.money(batch)).toEqual({ spent: 0, held: 5 });
    expect((await tables.ask(batch, 'more')).reserved).toBeUndefined();
  });

  attack(
    'the last credits of a share are used, and not one more, beside the share of another account',
    async (tables) => {
      const batch = await tables.batch('0000000c', { accounts: [1, 2] });
      await tables.transaction((sql) => setCap(sql, budgetName('share', { batch, account: 2 }), 5));
      const intents = [1, 2].flatMap((account) =>
        [3, 3, 1, 1].map((reserve, at) => tables.intent(batch, `key ${account} ${at}`, { account, reserve })),
      );
      const admitted = await tables.write({ intents });
      const at = (number: number) =>
        intents.filter(({ id, account }) => account === number && admitted.has(id));
      expect([at(1).length, at(2).length]).toEqual([4, 3]);
      expect(await tables.money(batch)).toEqual({ spent: 0, held: 13 });
    },
  );

  attack(
    'an answer that is dearer than reserved is booked all the same, and nothing more is bought',
    async (tables) => {
      const batch = await tables.batch('0000000c', { cap: 3 });
      await tables.bought(batch, 'dear', 9);
      expect(
        await tables.one("SELECT spent, held, overrun FROM budgets WHERE kind = 'batch' AND batch = ?", [
          batch,
        ]),
      ).toEqual({
        spent: 9,
        held: 0,
        overrun: 6,
      });
      expect((await tables.ask(batch, 'next')).reserved).toBeUndefined();
    },
  );

  attack(
    'dearer answers of two accounts in one group raise both prices: nothing is asked for less',
    async (tables, batch) => {
      const other = await tables.batch('0000000d', { account: 2 });
      const asked = [tables.intent(batch, 'one'), tables.intent(other, 'two', { account: 2 })];
      await tables.write({ intents: asked });
      const [one, two] = asked.map(({ id }) => id) as [number, number];
      const ends = [answer(one, 7, { price: 7 }), answer(two, 9, { price: 9 })];
      await tables.write({ replies: [reply(one), reply(two)], ends });
      expect((await tables.ask(batch, 'three', { reserve: 6 })).reserved).toBeUndefined();
      expect((await tables.ask(batch, 'three', { reserve: 7 })).reserved).toBe(7);
      expect((await tables.ask(other, 'four', { account: 2, reserve: 8 })).reserved).toBeUndefined();
      expect((await tables.ask(other, 'four', { account: 2, reserve: 9 })).reserved).toBe(9);
    },
  );

  describe('the id by which a vendor answers later', () => {
    const waiting = async (
      tables: Tables,
      batch: string,
      word: string,
      more: object = {},
    ): Promise<number> => {
      const { attempt } = await tables.ask(batch, word, more);
      return attempt;
    };
    const comes = (tables: Tables, attempt: number, id: string) =>
      tables.write({
        replies: [{ ...reply(attempt), number: 1 }],
        ends: [{ ...answer(attempt), vendor_id: id }],
      });

    attack(
      "is nobody's where two calls have it, in one group or in two, and a third is in doubt as well",
      async (tables, batch) => {
        const [one, two, three, four] = [
          await waiting(tables, batch, 'one', { row: 2 }),
          await waiting(tables, batch, 'two', { row: 3 }),
          await waiting(tables, batch, 'three', { row: 4 }),
          await waiting(tables, batch, 'four', { row: 5 }),
        ];
        const written = await tables.write({
          ends: [accepted(one, 'x'), accepted(two, 'x'), accepted(four, 'y')],
        });
        expect([...written.shared].toSorted()).toEqual([one, two]);
        expect((await tables.write({ ends: [accepted(three, 'x')] })).shared.has(three)).toBe(true);
        for (const each of [one, two, three]) expect(await tables.state(each)).toBe('doubt');
        expect(await tables.state(four)).toBe('accepted');
        expect(await tables.db.rows('SELECT row, state, findings FROM rows ORDER BY row')).toEqual(
          [2, 3, 4].map((row) => ({ row, state: 'in_doubt', findings: 'another call has x' })),
        );
        expect(await tables.money(batch)).toEqual({ spent: 0, held: 4 });
      },
    );

    attack('answers none of those who share it, also once the others are settled', async (tables, batch) => {
      const [one, two] = [
        await waiting(tables, batch, 'one'),
        await waiting(tables, batch, 'two', { row: 3 }),
      ];
      await tables.write({ ends: [accepted(one, 'x')] });
      await tables.write({ ends: [accepted(two, 'x')] });
      await tables.release(one);
      expect((await comes(tables, two, 'x')).has(two)).toBe(false);
      expect(await tables.state(two)).toBe('doubt');
      const third = await waiting(tables, batch, 'three', { row: 4 });
      await tables.write({ ends: [accepted(third, 'x')] });
      expect(await tables.state(third)).toBe('doubt');
      await tables.tell(two);
      expect(await tables.state(two)).toBe('answered');
      expect(await tables.money(batch)).toEqual({ spent: 1, held: 1 });
    });

    attack(
      'may be that of another account, of another place, of the same call, and of one that is answered',
      async (tables, batch) => {
        const other = await tables.batch('0000000c', { account: 2 });
        const [one, two] = [
          await waiting(tables, batch, 'one'),
          await waiting(tables, other, 'two', { account: 2 }),
        ];
        const elsewhere = await waiting(tables, batch, 'three', { row: 3, operation: 'other' });
        await tables.write({ ends: [accepted(one, 'x')] });
        await tables.write({ ends: [accepted(two, 'x'), accepted(elsewhere, 'x', '/people/{id}')] });
        for (const each of [one, two, elsewhere]) expect(await tables.state(each)).toBe('accepted');
        await tables.write({ ends: [doubt(one)] });
        const again = { kind: 'retry', prior: one, decision: await tables.decide(one, batch) } as const;
        const { attempt } = await tables.ask(batch, 'one', again);
        await tables.write({ ends: [accepted(attempt, 'x')] });
        expect(await tables.state(attempt)).toBe('accepted');
        await comes(tables, elsewhere, 'x');
        const later = await waiting(tables, batch, 'four', { row: 5, operation: 'other' });
        await tables.write({ ends: [accepted(later, 'x', '/people/{id}')] });
        expect(await tables.state(later)).toBe('accepted');
      },
    );

    attack(
      'is that of another operation as well where both are asked at one place',
      async (tables, batch) => {
        const [one, two] = [
          await waiting(tables, batch, 'one'),
          await waiting(tables, batch, 'two', { row: 3, operation: 'other' }),
        ];
        await tables.write({ ends: [accepted(one, 'x')] });
        await tables.write({ ends: [accepted(two, 'x')] });
        for (const each of [one, two]) expect(await tables.state(each)).toBe('doubt');
      },
    );

    attack('leaves a refresh in doubt beside the answer that it was to replace', async (tables) => {
      const batch = await tables.batch('0000000c', { fresh: NOW + 1 });
      const old = await tables.bought('0000000b', 'acme');
      const refresh = await waiting(tables, batch, 'acme', { kind: 'refresh', prior: old });
      const other = await waiting(tables, batch, 'other', { row: 3 });
      await tables.write({ ends: [accepted(refresh, 'x')] });
      expect(await tables.state(old)).toBe('replaced');
      await tables.write({ ends: [accepted(other, 'x')] });
      expect(await tables.state(refresh)).toBe('doubt_beside');
      expect(await tables.state(old)).toBe('answered');
    });

    attack('stands once among what is accepted, whatever code writes', async (tables, batch) => {
      const [one, two] = [
        await waiting(tables, batch, 'one'),
        await waiting(tables, batch, 'two', { row: 3 }),
      ];
      await tables.write({ ends: [accepted(one, 'x')] });
      const accept = tables.transaction((sql) =>
        sql.rows(
          `UPDATE attempts SET state = 'accepted', ended_at = 1, vendor_id = 'x', later_path = ? WHERE id = ?`,
          ['/results/{id}', two],
        ),
      );
      await expect(accept).rejects.toThrow(/unique|attempts_later/i);
    });
  });

  describe('a doubt', () => {
    attack('a doubt that two say did not happen gives its money back once', async (tables, batch) => {
      const attempt = await tables.lost(batch, 'acme');
      const said = await Promise.all([tables.release(attempt), tables.release(attempt, 'second')]);
      expect(said.filter(Boolean)).toHaveLength(1);
      expect(await tables.money(batch)).toEqual({ spent: 0, held: 0 });
    });

    attack('a doubt is sent again once by one decision', async (tables, batch) => {
      const attempt = await tables.lost(batch, 'acme');
      const again = { kind: 'retry', prior: attempt, decision: await tables.decide(attempt, batch) } as const;
      const asked = await Promise.all([
        tables.ask(batch, 'acme', again),
        tables.ask(batch, 'acme', again, 'second'),
      ]);
      expect(asked.filter(({ reserved }) => reserved !== undefined)).toHaveLength(1);
      const won = asked.find(({ reserved }) => reserved !== undefined)?.attempt ?? 0;
      await tables.write({ ends: [doubt(won)] });
      expect((await tables.ask(batch, 'acme', again)).reserved).toBeUndefined();
      expect(await tables.money(batch)).toEqual({ spent: 0, held: 2 });
    });

    attack('a doubt whose answer comes beside a retry that is lost ends its row', async (tables, batch) => {
      const first = await tables.lost(batch, 'acme');
      const decision = await tables.decide(first, batch);
      const retry = await tables.ask(batch, 'acme', { kind: 'retry', prior: first, decision });
      await tables.write({ replies: [reply(first)], ends: [answer(first)] });
      await tables.write({ ends: [doubt(retry.attempt)] });
      expect(await tables.state(first)).toBe('answered');
      const row = await tables.one('SELECT state FROM rows WHERE batch = ?', [batch]);
      expect(row).toEqual({ state: 'pending' });
    });

    for (const [what, more] of [
      ['that says to skip it', { said: 'skip' }],
      ['of another batch', { batch: '0000000d' }],
      ['about another question', { text: 'other' }],
    ] as const) {
      attack(`a doubt is not sent again by a decision ${what}`, async (tables, batch) => {
        await tables.batch('0000000d');
        const attempt = await tables.lost(batch, 'acme');
        const decision = await tables.decide(attempt, batch, 'said' in more ? more.said : 'retry');
        const again = { kind: 'retry', prior: attempt, decision } as const;
        const [by, text] = ['batch' in more ? more.batch : batch, 'text' in more ? more.text : 'acme'];
        const asked = await tables.ask(by, text, again).catch(() => ({ reserved: undefined }));
        expect(asked.reserved).toBeUndefined();
        expect(await tables.state(attempt)).toBe('doubt');
      });
    }
  });

  describe('the late answer of a retried attempt', () => {
    const retried = async (tables: Tables, batch: string) => {
      const first = await tables.lost(batch, 'acme');
      const decision = await tables.decide(first, batch);
      const { attempt: retry } = await tables.ask(batch, 'acme', { kind: 'retry', prior: first, decision });
      const late = () => tables.write({ replies: [reply(first)], ends: [answer(first)] });
      return { first, retry, late };
    };
    const states = async (tables: Tables, ...attempts: readonly number[]) =>
      Promise.all(attempts.map((attempt) => tables.state(attempt)));

    attack('a late answer is replaced by that of its retry: both were sold', async (tables, batch) => {
      const { first, retry, late } = await retried(tables, batch);
      await tables.write({ replies: [reply(retry)], ends: [answer(retry)] });
      await late();
      expect(await states(tables, first, retry)).toEqual(['replaced', 'answered']);
      expect(await tables.money(batch)).toEqual({ spent: 2, held: 0 });
    });

    attack('a late answer stands when its retry brings none', async (tables, batch) => {
      for (const [text, way, left] of [
        ['one', uncharged, 'uncharged'],
        ['two', doubt, 'doubt_beside'],
      ] as const) {
        const first = await tables.lost(batch, text);
        const decision = await tables.decide(first, batch);
        const { attempt: retry } = await tables.ask(batch, text, { kind: 'retry', prior: first, decision });
        await tables.write({ replies: [reply(first)], ends: [answer(first)] });
        expect(await states(tables, first, retry)).toEqual(['replaced', 'open']);
        await tables.write({ ends: [way(retry)] });
        expect(await states(tables, first, retry)).toEqual(['answered', left]);
      }
      expect(await tables.money(batch)).toEqual({ spent: 2, held: 1 });
    });
  });

  attack(
    'what a lost attempt holds is given back once when its own late end and the answer of its repeat are in one group',
    async (tables, batch) => {
      const { attempt: payer } = await tables.ask(batch, 'acme', { request: 'r', reserve: 2 });
      await tables.write({ ends: [doubt(payer)] });
      const decision = await tables.decide(payer, batch, 'repeat');
      const way = { kind: 'repeat', prior: payer, payer, decision, request: 'r', reserve: 0 } as const;
      const { attempt: repeat } = await tables.ask(batch, 'acme', way);
      await tables.ask(batch, 'other');
      await tables.write({ replies: [reply(repeat)], ends: [uncharged(payer), answer(repeat)] });
      expect(await tables.money(batch)).toEqual({ spent: 1, held: 1 });
    },
  );

  describe('a refresh', () => {
    const refresh = (prior: number) => ({ kind: 'refresh', prior }) as const;

    attack(
      'a refresh is bought once by a batch, also when it was lost, and leaves the answer',
      async (tables, batch) => {
        const old = await tables.bought(batch, 'acme');
        const night = await tables.batch('0000000d', { fresh: NOW + 1 });
        const asked = await Promise.all([
          tables.ask(night, 'acme', refresh(old)),
          tables.ask(night, 'acme', refresh(old), 'second'),
        ]);
        const won = asked.filter(({ reserved }) => reserved !== undefined);
        expect(won).toHaveLength(1);
        await tables.write({ ends: [doubt(won[0]?.attempt ?? 0)] });
        expect(await tables.state(old)).toBe('answered');
        expect((await tables.ask(night, 'acme', refresh(old))).reserved).toBeUndefined();
        expect(await tables.state(old)).toBe('answered');
      },
    );

    attack(
      'a refresh that was lost replaces the answer when its own comes late, also in one group with others',
      async (tables, batch) => {
        const old = await tables.bought(batch, 'acme');
        const night = await tables.batch('0000000d', { fresh: NOW + 1 });
        const { attempt } = await tables.ask(night, 'acme', refresh(old));
        await tables.write({ ends: [doubt(attempt)] });
        const { attempt: other } = await tables.ask(night, 'other');
        const replies = [reply(attempt), reply(other)];
        await tables.write({ replies, ends: [answer(attempt), answer(other)] });
        expect(await Promise.all([old, attempt, other].map((each) => tables.state(each)))).toEqual([
          'replaced',
          'answered',
          'answered',
        ]);
      },
    );
  });

  attack(
    'one change of a subject at a time, and none that was planned before another was settled',
    async (tables, batch) => {
      const change = { project: 'p', subject: 'jo@example.com', after: 0, reserve: 0 };
      const asked = await Promise.all([
        tables.ask(batch, 'invite', change),
        tables.ask(batch, 'remove', change, 'second'),
      ]);
      const won = asked.filter(({ reserved }) => reserved !== undefined);
      expect(won).toHaveLength(1);
      const attempt = won[0]?.attempt ?? 0;
      await tables.write({
        replies: [reply(attempt)],
        ends: [answer(attempt, 0, { facts: '{"state":"invited"}' })],
      });
      expect(await tables.one('SELECT seq, facts FROM subjects')).toEqual({
        seq: 1,
        facts: '{"state":"invited"}',
      });
      expect((await tables.ask(batch, 'late', change)).reserved).toBeUndefined();
      expect((await tables.ask(batch, 'next', { ...change, after: 1 })).reserved).toBe(0);
    },
  );

  describe('SQL by hand is refused that', () => {
    const COLUMNS =
      'operation, asked, credits_max, batch, row, day, month, reserved, sent_at, over_at, moved';
    const made = (
      id: number,
      { key = 'key', state = 'open', kind = 'first', account = 'account', more = '', is = '' } = {},
    ) =>
      `INSERT INTO attempts (id, key, state, is_current, kind, account, ${COLUMNS}${more}) SELECT ${id}, ${key}, '${state}', 1, '${kind}', ${account}, ${COLUMNS}${is} FROM attempts WHERE id = $bought`;
    const statements: Readonly<Record<string, string>> = {
      'makes a second current attempt': made(77),
      'begins an attempt answered': made(78, {
        key: 'CAST(? AS {bytes})',
        state: 'answered',
        more: ', ended_at, said, charged, reply',
        is: `, 1, 'found', 1, id`,
      }),
      'asks an account that its batch does not have': made(80, {
        key: 'CAST(? AS {bytes})',
        account: '2',
      }),
      'retries without a decision': made(79, { kind: 'retry', more: ', prior', is: ', id' }),
      'makes an answer free': `UPDATE attempts SET state = 'uncharged', is_current = 0, charged = NULL, said = NULL, reply = NULL WHERE id = $bought`,
      'gives an attempt another key': `UPDATE attempts SET key = CAST(? AS {bytes}) WHERE id = $bought`,
      'takes an answer that stands out of the way': 'UPDATE attempts SET is_current = 0 WHERE id = $bought',
      'lets an answer that was taken back stand': `UPDATE attempts SET state = 'retracted' WHERE id = $bought`,
      'charges less': 'UPDATE attempts SET charged = 0 WHERE id = $bought',
      'answers without a reply': `UPDATE attempts SET state = 'answered', ended_at = 1, charged = 1, said = 'found', reply = id WHERE id = $open`,
      'opens a doubt again': `UPDATE attempts SET state = 'open', ended_at = NULL WHERE id = $doubt`,
      'deletes an attempt': 'DELETE FROM attempts WHERE id = $open',
      'deletes a budget': 'DELETE FROM budgets',
      'deletes a reply': 'DELETE FROM replies',
      'writes another body': `UPDATE replies SET body = CAST(? AS {bytes})`,
      'passes a cap': `UPDATE budgets SET held = held + 1000 WHERE kind = 'batch' AND batch = '0000000c'`,
      'holds less than nothing': 'UPDATE budgets SET held = -1',
      'makes a decision that sent something another': `UPDATE notes SET said = 'skip' WHERE said = 'retry'`,
      'opens a cancelled batch': `UPDATE batches SET state = 'open' WHERE state = 'cancelled'`,
    };
    for (const [what, statement] of Object.entries(statements)) {
      attack(what, async (tables, batch) => {
        await tables.batch('0000000c', { cap: 5 });
        const cancelled = await tables.batch('0000000e');
        await tables.transaction((sql) =>
          sql.rows(`UPDATE batches SET state = 'cancelled' WHERE id = ?`, [cancelled]),
        );
        const bought = await tables.bought(batch, 'bought');
        const { attempt: opened } = await tables.ask(batch, 'open');
        const lost = await tables.lost(batch, 'lost');
        const decision = await tables.decide(lost, batch);
        await tables.ask(batch, 'lost', { kind: 'retry', prior: lost, decision });
        const doubted = await tables.lost(batch, 'doubt');
        const row = { matched_by: 'abn', findings: null, attempt: bought, has_fills: 0, uses: [] };
        await tables.write({ rows: [{ batch, row: 2, state: 'matched', ...row }] });
        const names = { $bought: bought, $open: opened, $doubt: doubted };
        const text = statement.replaceAll(/\$\w+/g, (name) => String(names[name as keyof typeof names]));
        const params = text.includes('?') ? [keyOf('another')] : [];
        await expect(tables.transaction((sql) => sql.rows(text, params))).rejects.toThrow(
          /money rule|constraint/i,
        );
      });
    }
  });
});
