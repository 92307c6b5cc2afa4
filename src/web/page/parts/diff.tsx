import type { PlannedChangeObject, PlanView } from '../../api.ts';
import { text, wordOf } from '../text.ts';
import { counted, grouped } from './figures.ts';

/** What would change in a team, project by project, with the signs that the command line uses. */

const SIGNS: Readonly<Record<string, readonly [sign: string, look: string]>> = {
  create_project: ['+', 'good'],
  invite: ['+', 'good'],
  call: ['+', 'good'],
  change_role: ['~', 'warn'],
  remove: ['-', 'bad'],
  unchanged: ['=', ''],
  invalid: ['!', 'bad'],
  refused: ['!', 'bad'],
  in_doubt: ['?', 'warn'],
  skipped: ['=', ''],
};

/** A project's lines beyond these are in the plan of the command line. */
const LINES_SHOWN = 100;

export function Diff({
  changes,
  actions = {},
  leavers = [],
}: {
  readonly changes: readonly PlannedChangeObject[];
  /** How many of each there are, also of those that are not shown. */
  readonly actions?: PlanView['actions'];
  readonly leavers?: PlanView['leavers'];
}) {
  const projects = byProject(changes);
  const isShort = changes.filter(isWorth).length <= LINES_OPEN;
  const total = Object.values(actions).reduce((sum, count) => sum + count, 0);
  return (
    <section class="stack">
      <div class="actions">
        {Object.entries(actions).map(([action, count]) => (
          <span key={action} class={`tag ${SIGNS[action]?.[1] ?? ''}`}>
            {grouped(count)} {wordOf(text.diff.actions, action)}
          </span>
        ))}
      </div>
      {leavers.length > 0 && <Leavers leavers={leavers} />}
      {projects.map(([project, lines]) => (
        <details key={project} class="card" open={lines.some(isShort ? isWorth : isRemoval)}>
          <summary>
            <strong>{project}</strong> <span class="muted">{counted(lines.length, 'row')}</span>
          </summary>
          <div class="stack">
            <Beyond lines={lines.filter(isBeyond)} />
            <Lines lines={lines.filter((line) => isWorth(line) && !isBeyond(line))} />
            <Unchanged lines={lines.filter((line) => !isWorth(line))} />
          </div>
        </details>
      ))}
      {total > changes.length && (
        <p class="muted">{`${counted(total - changes.length, 'row')} ${text.diff.cut}`}</p>
      )}
    </section>
  );
}

/**
 * People whom the list leaves out and whom the job leaves alone. They are named, and nothing is done to them.
 */
function Leavers({ leavers }: { readonly leavers: NonNullable<PlanView['leavers']> }) {
  return (
    <details class="card">
      <summary>{text.diff.leavers(counted(leavers.length, 'person', 'people'))}</summary>
      <ul class="diff">
        {leavers.slice(0, LINES_SHOWN).map(({ email, project, role }) => (
          <li key={`${project} ${email}`}>
            <span class="tag" title={text.diff.stay}>
              <span aria-hidden="true">=</span> <span class="sr">{text.diff.stay}</span>
            </span>
            <span>
              {email} <span class="muted">{role}</span>
            </span>
            <span class="muted">{project}</span>
          </li>
        ))}
      </ul>
      {leavers.length > LINES_SHOWN && (
        <p class="muted">{`${counted(leavers.length - LINES_SHOWN, 'person', 'people')} ${text.diff.cut}`}</p>
      )}
    </details>
  );
}

/** So many lines stand open: a person still finds the button below them. */
const LINES_OPEN = 60;

const isRemoval = ({ action }: PlannedChangeObject): boolean => action === 'remove';
const isBeyond = ({ beyond }: PlannedChangeObject): boolean => beyond === true;
const isWorth = ({ action }: PlannedChangeObject): boolean => action !== 'unchanged';

function Lines({ lines }: { readonly lines: readonly PlannedChangeObject[] }) {
  return (
    <>
      <ul class="diff">
        {lines.slice(0, LINES_SHOWN).map((change) => (
          <Line key={`${change.row} ${change.action} ${change.email}`} change={change} />
        ))}
      </ul>
      {lines.length > LINES_SHOWN && (
        <p class="muted">{`${counted(lines.length - LINES_SHOWN, 'row')} ${text.diff.more}`}</p>
      )}
    </>
  );
}

/** Whom the list does not name stands apart, however much else there is: nobody has looked for them in it. */
function Beyond({ lines }: { readonly lines: readonly PlannedChangeObject[] }) {
  if (lines.length === 0) return null;
  return (
    <div class="notice stack">
      <p>
        <strong>{text.diff.beyondTitle(counted(lines.length, 'person', 'people'))}</strong>
      </p>
      <Lines lines={lines} />
    </div>
  );
}

/** The lines without a change are folded away, for a user who looks for one of them. */
function Unchanged({ lines }: { readonly lines: readonly PlannedChangeObject[] }) {
  if (lines.length === 0) return null;
  return (
    <details>
      <summary class="muted">
        {grouped(lines.length)} {text.diff.unchanged}
      </summary>
      <Lines lines={lines} />
    </details>
  );
}

function byProject(
  changes: readonly PlannedChangeObject[],
): readonly (readonly [project: string, lines: readonly PlannedChangeObject[]])[] {
  const projects = new Map<string, PlannedChangeObject[]>();
  for (const change of changes) {
    const project = change.project ?? text.diff.noProject;
    const lines = projects.get(project) ?? [];
    projects.set(project, lines);
    lines.push(change);
  }
  return [...projects];
}

function Line({ change }: { readonly change: PlannedChangeObject }) {
  const { row, action, email, from, to, reason, note, beyond } = change;
  const because = [reason, note].filter((part) => part !== undefined).join('; ');
  const [sign, look] = SIGNS[action] ?? ['', ''];
  const roles = [...new Set([from, to])].filter((role) => role !== null && role !== '').join(' → ');
  return (
    <li>
      <span class={`tag ${look}`} title={wordOf(text.diff.actions, action)}>
        <span aria-hidden="true">{sign}</span> <span class="sr">{wordOf(text.diff.actions, action)}</span>
      </span>
      <span>
        {email ?? change.project} <span class="muted">{roles}</span>
        {because !== '' && <span class="muted">: {because}</span>}
      </span>
      <span class="muted number">{beyond === true ? text.diff.beyond : `${text.columns.row} ${row}`}</span>
    </li>
  );
}
