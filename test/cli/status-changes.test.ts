/**
 * Goal: of a batch that changes the service a person sees what was planned, what was sent about whom, and no credits,
 * because there are none.
 * Method: the real commands over the store of a real run before a sandbox service.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PROJECT } from '../faults/team-workplace.ts';
import { openTeam } from './team.ts';

const JO = 'jo@team.example';
const MO = 'mo@team.example';

test('status of changes counts without credits; a row with its plan and every request; people whom the list does not name', async () => {
  const team = await openTeam();
  await team.apply([
    { email: JO, role: 'viewer' },
    { email: MO, role: 'viewer' },
  ]);
  team.writeJob({ remove_missing: true, guards: { max_removals: '100%' } });
  await team.apply([{ email: JO, role: 'editor' }]);

  const { stdout } = await team.type('status', 'last');
  expect(stdout).toContain(
    'team.csv, 1 row, and 1 person whom it does not name\n  applied   2\nChanges    1 role, 1 removal\n',
  );
  expect(stdout).not.toMatch(/credit|pending/i);
  expect((await team.type('status')).stdout).toMatch(
    / finished {4}2\/2 rows {2}onboard .*\n.* 2\/2 rows {2}onboard /,
  );
  expect(await team.json('status', 'last')).toMatchObject({
    rows: 1,
    rows_beyond: 1,
    undoes: null,
    changes: { done: { change_role: 1, remove: 1 }, counts: { applied: 2 } },
  });

  const { stdout: row } = await team.type('status', 'last', '2');
  expect(row).toContain(`  planned: ${JO} in ${PROJECT}, viewer → editor\n`);
  expect(row).toMatch(
    / delete-invite of jo@team\.example in proj-1, invite_code invite-\d+; change 2 of it\n/,
  );
  expect(row).toMatch(/ create-invite of jo@team\.example in proj-1, role editor; change 3 of it\n/);
  expect(await team.json('status', 'last', '2')).toMatchObject({
    planned: { from: 'viewer', to: 'editor' },
    attempts: [
      { operation: 'delete-invite', project: PROJECT, subject: `${JO} in ${PROJECT}`, after: 1 },
      { operation: 'create-invite', after: 2, reply: { status: 200 } },
    ],
  });

  const { stdout: removed } = await team.type('status', 'last', '3');
  expect(removed).toMatch(/^Row 3: applied.*\n {2}planned: mo@team\.example in proj-1, viewer → none\n/);
});

test('the report says what was changed, and nothing of identifiers and credits', async () => {
  const team = await openTeam();
  await team.apply([
    { email: JO, role: 'viewer' },
    { email: 'nobody', role: 'viewer' },
  ]);
  const html = readFileSync(team.place.path('out.report.html'), 'utf8');
  expect(html).toContain('<strong>1 invite to proj-1; 1 invalid.</strong>');
  expect(html).toContain('<tr><td>proj-1<td>viewer<td class="n">1<td class="n">\n');
  expect(html).toContain('cannot be used, so nothing was sent');
  expect(html).not.toMatch(/<h2>Credits|Match rate/);
});
