/**
 * Goal: a change that was counted as done, and would not count as that by today's dialect, is named by the plan and the
 * run of its list and by the status of its batch. It is never sent again by a reading.
 * Method: the real command before a service that answers one of three invites oddly, which counts what it was sent; the rule
 * that reads the odd answer is another one afterwards.
 */
import { expect, test } from 'vitest';
import { some } from '../combinations.ts';
import { deskBefore, SERVICE } from './desk.ts';

test.each(some(['in_doubt', 'refused', 'rate_limited'], 1))(
  'changes that read as %s today are named, and left alone',
  async (means) => {
    const { desk, asked, speak } = await deskBefore(
      (_, nth) => ({ invite_code: `invite-${nth}`, ...(nth === 2 ? { note: 'odd' } : {}) }),
      SERVICE,
    );
    const readsAs = (odd: string): void => {
      const rule = { status: [200], body: { path: 'note', equals: 'odd' }, means: odd };
      speak({ vendor: 'service', operations: { 'create-invite': { answers: [rule] } } });
    };
    const people = ['jo', 'al', 'mo'].map((name) => `${name}@team.example,viewer\n`).join('');
    await desk.write('list.csv', `Email,Role\n${people}`);
    const run = ['run', 'invite-user', 'list.csv', '-o', 'out.csv', '--yes'];
    const plan = ['plan', 'invite-user', 'list.csv'];
    readsAs('found');
    const { batch } = await desk.json(run);
    expect(await desk.json(plan)).not.toHaveProperty('unproven');
    expect(await desk.json(run)).not.toHaveProperty('unproven');
    expect(await desk.json(['status', batch])).not.toHaveProperty('unproven');

    readsAs(means);
    const unproven = { batch, changes: 1, first_rows: [3] };
    expect(await desk.json(plan)).toMatchObject({ unproven });
    expect(await desk.json(['status', batch])).toMatchObject({ counts: { applied: 3 }, unproven });
    const fact = new RegExp(
      `1 change of batch ${batch} was counted as done \\(row 3\\), but today's dialect does not read that in what came\\. It is not sent again: check at the service whether it was made\\. What came: .*rowonce status ${batch} 3\\n`,
    );
    expect((await desk.type(plan)).stdout).toMatch(fact);
    expect((await desk.type(['status', batch])).stdout).toMatch(fact);
    expect((await desk.type(['status', batch, '3'])).stdout).toMatch(
      /reads as \w+, 0 credits, .*which is never applied/,
    );
    expect(await desk.json(run)).toMatchObject({ batch, counts: { applied: 3 }, requests: 0, unproven });
    const again = await desk.type(run);
    expect(again).toMatchObject({ code: 3, stdout: expect.stringMatching(fact) });
    expect(asked).toHaveLength(3);
  },
);
