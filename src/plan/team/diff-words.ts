import { countedActions } from '../../core/operation.ts';
import { counted, linesOf } from '../../core/plain-text.ts';
import { keepWords } from '../../files/output/summary-words.ts';
import type { ChangeAction, PlannedChangeObject as PlannedChange } from '../../objects/plan-object.ts';
import { type ChangePlan, isHeldBack, isSent, leftOutIn } from './change-plan.ts';

/** How many lines of each kind are shown. A longer list is easier to read in a file than on a terminal. */
const LINES_SHOWN = { sent: 50, unchanged: 5, attention: 20, leavers: 20 };

export const EVERY_LINE = { sent: Infinity, unchanged: Infinity, attention: Infinity, leavers: Infinity };

/**
 * The diff: first the changes that are sent, then the unchanged and the skipped rows, then those that need
 * attention, then people whom the file does not name and who stay, then the counts.
 */
export function diffLines(plan: ChangePlan, shownLines = LINES_SHOWN): readonly string[] {
  const { changes, unknown } = plan;
  const sent = changes.filter(isSent);
  // Who contradicts the ledger, is new to it, or was not removed stands first, where a reader sees why.
  const isTold = (change: PlannedChange): boolean => change.note !== undefined || isHeldBack(change);
  const unchanged = changes
    .filter(({ action }) => action === 'unchanged')
    .toSorted((one, other) => Number(isTold(other)) - Number(isTold(one)));
  const skipped = changes.filter(({ action }) => action === 'skipped');
  const attention = changes.filter(
    (change) => !isSent(change) && !['unchanged', 'skipped'].includes(change.action),
  );
  return [
    ...cut(' ', sent.map(noted), shownLines.sent),
    ...cut('=', unchanged.map(noted), shownLines.unchanged),
    ...cut('=', skipped.map(noted), shownLines.unchanged),
    ...(unknown === undefined
      ? cut('!', attention.map(noted), shownLines.attention)
      : [`! all rows: ${unknown.message} ${unknown.next}`]),
    ...cut('=', plan.leavers.map(leaverLine), shownLines.leavers, ' who are not in the file and stay'),
    `${planCounts(plan)}.`,
    ...keepLines(plan),
  ];
}

function keepLines(plan: ChangePlan): readonly string[] {
  const { left_out = 0, ...more } = leftOutIn(plan);
  const keeping = keepWords({ left_out, ...more });
  return keeping === ''
    ? []
    : [`${keeping}. To remove them, take their rows off the list, with remove_missing.`];
}

/** `= jo@x.com in Sales: viewer (not in the file): stays, because the job does not have remove_missing`. */
const leaverLine = ({ email, project, role }: ChangePlan['leavers'][number]): string =>
  `= ${email} in ${project}: ${role ?? 'a role'} ` +
  '(not in the file): stays, because the job does not have remove_missing';

function cut(sign: string, lines: readonly string[], most: number, who = ''): readonly string[] {
  const more = lines.length - most;
  const rest = more > 0 ? [`${sign} and ${more} more${who}: --all shows them`] : [];
  return [...lines.slice(0, most), ...rest];
}

const noted = (change: PlannedChange): string => linesOf(lineOf(change), change.note).join('; ');

/** `+ invite jo@x.com to Sales as editor (row 4)`. */
function lineOf(change: PlannedChange): string {
  const { action, reason } = change;
  const because = reason === undefined ? '' : `: ${reason}`;
  switch (action) {
    case 'create_project':
      return `+ create project ${change.project} ${rowWords(change)}; it cannot be deleted again`;
    case 'invite':
      return `+ invite ${who(change)} to ${change.project} as ${change.to} ${rowWords(change)}`;
    case 'change_role':
      return (
        `~ ${whoWhere(change)}: ${change.from ?? 'a role'} → ${change.to} (${callWords(change)}) ` +
        `${rowWords(change)}`
      );
    case 'remove':
      return `- remove ${who(change)} from ${change.project} (${callWords(change)}) ${rowWords(change)}`;
    case 'call':
      return `+ ${callWords(change)} ${rowWords(change)}`;
    case 'unchanged':
      return change.from === change.to && change.to !== null && change.to !== 'none'
        ? `= ${whoWhere(change)}: ${change.to} ${rowWords(change)}`
        : `= ${whoWhere(change)} ${rowWords(change)}${because}`;
    case 'invalid':
    case 'refused':
      return `! ${rowAndWho(change)}${because}`;
    case 'in_doubt':
      return `? ${rowAndWho(change)}${because}`;
    case 'skipped':
      return `= ${rowAndWho(change)}${because}`;
  }
}

/** `row 4, jo@x.com in Sales`: the row of a change and its person. */
export function rowAndWho(change: PlannedChange): string {
  const known = change.email ?? change.user_id ?? change.project;
  const row = change.beyond === true ? 'not in the file' : `row ${change.row}`;
  return known === null ? row : `${row}, ${whoWhere(change)}`;
}

function rowWords({ row, beyond }: PlannedChange): string {
  return beyond === true ? '(not in the file)' : `(row ${row})`;
}

function who({ email, user_id: userId }: PlannedChange): string {
  return email ?? userId ?? 'a person';
}

function whoWhere(change: PlannedChange): string {
  const { email, user_id: userId, project } = change;
  if (email === null && userId === undefined) return project ?? 'this';
  return project === null ? who(change) : `${who(change)} in ${project}`;
}

/** `delete invite, create invite`. */
function callWords({ calls = [] }: PlannedChange): string {
  return calls.map((call) => call.replaceAll('-', ' ')).join(', ');
}

/** The number of changes that a plan sends, by kind: `12 changes (8 invites, 3 roles, 1 removal)`. */
export function sentCounts(plan: Pick<ChangePlan, 'changes'>): string {
  const { all, kinds } = sentOf(plan);
  return kinds === '' ? counted(all, 'change') : `${counted(all, 'change')} (${kinds})`;
}

/** The question to the user: `Apply 12 changes to the service (8 invites, 3 roles, 1 removal)?` */
export function changeQuestion(plan: Pick<ChangePlan, 'changes'>): string {
  const { all, kinds, projects } = sentOf(plan);
  const forGood = projects === 0 ? '' : ' A project cannot be deleted again.';
  return `Apply ${counted(all, 'change')} to the service (${kinds})?${forGood}`;
}

function sentOf({ changes }: Pick<ChangePlan, 'changes'>) {
  const counts: Partial<Record<ChangeAction, number>> = {};
  const sent = changes.filter(isSent);
  for (const { action } of sent) counts[action] = (counts[action] ?? 0) + 1;
  return { all: sent.length, kinds: countedActions(counts), projects: counts.create_project ?? 0 };
}

/** The counts of `sentCounts`, followed by the counts of the changes that are not sent. */
function planCounts(plan: ChangePlan): string {
  const heldBack = plan.changes.filter(isHeldBack).length;
  const others = plan.changes.filter((change) => !isHeldBack(change));
  const count = (wanted: ChangeAction): number => others.filter(({ action }) => action === wanted).length;
  const rest = [
    [count('unchanged'), 'unchanged'],
    [count('invalid'), 'invalid'],
    [heldBack, 'held back'],
    [count('refused'), 'refused'],
    [count('in_doubt'), 'in doubt'],
    [count('skipped'), 'left out'],
  ] as const;
  const words = rest.filter(([each]) => each > 0).map(([each, name]) => `${each} ${name}`);
  return [sentCounts(plan), ...words].join(', ');
}
