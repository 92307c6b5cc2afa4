import { z } from 'zod';
import { isoTime, systemClock } from '../core/clock.ts';
import { atMost, counted, grouped, linesOf } from '../core/plain-text.ts';
import { SpendGroupObject, SpendObject } from '../objects/log-object.ts';
import { monthOf, SPEND_BY, type Spend, type SpendGroup, spendOf } from '../run/tasks/spend.ts';
import { command, flag } from './shared/command.ts';
import { COMMON } from './shared/input.ts';
import { TableFile } from './shared/table-file.ts';

export default command({
  name: 'spend',
  summary: 'Shows what a month cost: credits spent, in doubt and saved, against the budgets.',
  example: 'spend --month 2026-11 --by operator',
  input: z.strictObject({
    ...COMMON,
    month: flag(
      z.string().optional(),
      'such as 2026-11, in UTC as budgets count it; left out: this one',
      '<month>',
    ),
    by: flag(z.enum(SPEND_BY).default('account'), 'how to add it up', '<what>'),
    output: flag(z.string().optional(), 'write it as a table (CSV); - is standard output', '<file>', {
      short: 'o',
    }),
  }),
  output: SpendObject,
  async run({ store, output, by, ...given }, { console }) {
    const month = monthOf(given.month ?? isoTime(systemClock.wallMs()).slice(0, 7));
    const spend = await spendOf({ store, month, by });
    if (output !== undefined) {
      const table = await TableFile.open(output, SpendGroupObject, console.json);
      for (const group of spend.groups) await table.add(group);
      await table.close();
    }
    const written = output === '-' ? undefined : output;
    return {
      lines: output === '-' ? [] : linesFor(spend),
      object: SpendObject.of({ ...spend, output: written }),
      advice: written === undefined ? [] : [`Written to ${written}.`],
    };
  },
});

function linesFor({ month, by, groups }: Spend): readonly string[] {
  const title = `${month} (UTC), by ${by}`;
  if (groups.length === 0) return [`${title}: nothing was spent.`];
  const [real, play] = [false, true].map((sandbox) => groups.filter((group) => group.sandbox === sandbox));
  return linesOf(
    title,
    linesOfGroups(real ?? []),
    (play ?? []).length > 0 && 'play money of sandboxes',
    linesOfGroups(play ?? []),
  );
}

function linesOfGroups(groups: readonly SpendGroup[]): readonly string[] {
  const width = Math.max(0, ...groups.map((group) => nameOf(group).length));
  return groups.map((group) => `  ${nameOf(group).padEnd(width)}  ${figuresOf(group)}`);
}

const nameOf = ({ name }: SpendGroup): string => name ?? 'nobody noted';

function figuresOf(group: SpendGroup): string {
  const { spent, exact, saved, requests, batches, budget, input, account } = group;
  const credits = atMost(spent, !exact, counted(spent, 'credit').replace(/^\d+/, grouped(spent)));
  return linesOf(
    `${credits}${budget === null ? '' : ` of ${grouped(budget)}`}`,
    `${grouped(group.in_doubt)} in doubt`,
    `${grouped(saved)} saved`,
    counted(requests, 'request'),
    input === undefined ? counted(batches, 'batch begun', 'batches begun') : `${account}, ${input}`,
  ).join(', ');
}
