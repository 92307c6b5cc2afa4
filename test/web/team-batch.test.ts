/**
 * Goal: what a batch changed in a team is counted by person and project, the removals that no row asks for among them, and by
 * the same figures on the page, in the report, in JSON and in the summary.
 * Method: a sheet with people in several projects, repeated rows and a slip, before a sandbox service; then every face of the
 * program beside each other, the page in a real browser.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { BatchDetail } from '../../src/web/api.ts';
import { text } from '../../src/web/page/text.ts';
import { openTeam } from '../cli/team.ts';
import { servedIn, useBrowser } from './scene.ts';

const tabAt = useBrowser();

const JOB = {
  columns: { email: 'Email', role: 'Role', project: 'Project' },
  projects: { Platform: 'proj-platform', Research: 'proj-research' },
  remove_missing: true,
  guards: { max_removals: '100%' },
};

const FIRST = [
  'ann@t.example,viewer,Platform',
  'ann@t.example,viewer,Research',
  'bob@t.example,viewer,Platform',
  'cid@t.example,viewer,Research',
  'dot@t.example,viewer,Research',
];

/** Ann gets another role in both projects, Eve is new, Bob stays; Cid and Dot are missing, and one row may mean Dot. */
const SECOND = [
  'ann@t.example,editor,Platform',
  'ann@t.example,editor,Research',
  'bob@t.example,viewer,Platform',
  'bob@t.example,Viewer,Platform',
  'eve@t.example,viewer,Research',
  'dot@t.example,viewer,Reserach',
];

test('the same figures on the page, in the report, in JSON and in the summary', async () => {
  const team = await openTeam({ concurrency: 4, job: JOB });
  const write = (rows: readonly string[]): void =>
    writeFileSync(team.place.path('team.csv'), `Email,Role,Project\n${rows.join('\n')}\n`);
  write(FIRST);
  expect((await team.runHere()).code).toBe(0);
  write(SECOND);
  const { stdout } = await team.type(...team.place.words(team.order()).filter((word) => word !== '--json'));
  expect(stdout).toContain(
    'Changes    1 invite, 2 roles, 1 removal, 1 held back\n  Platform: 1 role\n  Research: 1 invite, 1 role, 1 removal\n',
  );
  const { batch, changes } = await team.json('status', 'last');
  expect(changes).toEqual({
    done: { invite: 1, change_role: 2, remove: 1 },
    counts: { applied: 4, unchanged: 1, held_back: 1, invalid: 1 },
    without_a_word: 3,
    projects: [
      {
        project: 'Platform',
        to: 'editor',
        done: { change_role: 1 },
        counts: { applied: 1 },
        without_a_word: 1,
      },
      {
        project: 'Research',
        to: 'editor',
        done: { change_role: 1 },
        counts: { applied: 1 },
        without_a_word: 1,
      },
      { project: 'Platform', to: 'viewer', done: {}, counts: { unchanged: 1 }, without_a_word: 0 },
      { project: 'Research', to: 'viewer', done: { invite: 1 }, counts: { applied: 1 }, without_a_word: 0 },
      {
        project: 'Research',
        to: 'none',
        done: { remove: 1 },
        counts: { applied: 1, held_back: 1 },
        without_a_word: 1,
      },
    ],
  });
  const again = (await team.runHere()).report as unknown as { readonly changes: unknown };
  expect(again.changes).toEqual(changes);
  expect(readFileSync(team.place.path('out.report.html'), 'utf8')).toContain(
    '<h1>1 invite to Research, 2 roles in 2 projects, 1 removal from Research; 1 stays as it was, 1 held back, 1 invalid.</h1>',
  );

  const served = await servedIn(team.place.folder);
  const detail: BatchDetail = JSON.parse((await served.tool(`/api/batches/${batch}`)).body);
  expect(detail.changes).toEqual(changes);

  const page = await tabAt(served, `/batches/${batch}`);
  // What came moves everything below it when it is there.
  await page.getByRole('button', { name: text.batch.downloads.report }).waitFor();
  await page.getByText(text.batch.howItWent).click();
  const figures = await page.locator('dl.figures > div').allInnerTexts();
  const shown = Object.fromEntries(figures.map((each) => each.split('\n') as [string, string]));
  const { invite, change_role, remove } = text.changes.done;
  expect(Object.keys(shown).slice(0, 3)).toEqual([invite, change_role, remove]);
  expect(shown).toMatchObject({
    [invite]: '1',
    [change_role]: '2',
    [remove]: '1',
    [text.changes.withoutWord]: '3',
    [text.changes.heldBack]: '1',
  });
  expect(shown).not.toHaveProperty(text.batch.matched);
});
