import type { ListJobChoice, PlanObject } from '../../../api.ts';
import { Checkbox, Select, TextField } from '../../parts/controls.tsx';
import { counted } from '../../parts/figures.ts';

/** What she says about a team: which project a name is, what her words for a role mean, and the limits. */

interface ChoiceProps {
  readonly job: ListJobChoice;
  readonly set: (more: ListJobChoice) => void;
  /** Undefined until there is one. */
  readonly plan: PlanObject | undefined;
}

/** The entries without one, or with another value for it; undefined where none is left. */
function changed<T>(
  entries: Readonly<Record<string, T>>,
  name: string,
  value: NoInfer<T> | undefined,
): Record<string, T> | undefined {
  const { [name]: _, ...others } = entries;
  const next = value === undefined ? others : { ...entries, [name]: value };
  return Object.keys(next).length === 0 ? undefined : next;
}

/** A field for each project of the list, and a tick for those that nobody knows. */
export function Projects({ job, set, plan }: ChoiceProps) {
  const known = Object.entries(job.projects ?? {});
  const unknown = plan?.unknown?.projects ?? [];
  const isNew = unknown.length > 0 || job.create_projects === true;
  return (
    <>
      {known.map(([name, id]) => (
        <Project key={name} name={name} id={id ?? ''} {...{ job, set }} />
      ))}
      {unknown.map(({ name, rows }) => (
        <Project key={name} name={name} id="" rows={rows} {...{ job, set }} />
      ))}
      {isNew && (
        <Checkbox
          says="Make the projects that nobody knows. They cannot be deleted again."
          checked={job.create_projects === true}
          onCheck={(isChecked) => set({ create_projects: isChecked || undefined })}
        />
      )}
    </>
  );
}

interface ProjectProps extends Omit<ChoiceProps, 'plan'> {
  readonly name: string;
  readonly id: string;
  readonly rows?: number;
}

function Project({ job, set, name, id, rows }: ProjectProps) {
  const where = rows === undefined ? '' : ` (${counted(rows, 'row')})`;
  return (
    <TextField
      name={`${name}${where} is`}
      value={id}
      placeholder="its id"
      onTyped={(typed) => set({ projects: changed(job.projects ?? {}, name, typed || undefined) })}
    />
  );
}

const ROLES = ['viewer', 'editor', 'admin'] as const;
type Role = (typeof ROLES)[number];

/** One role for all, or what the words of the list mean. */
export function Roles({ job, set, plan }: ChoiceProps) {
  const said = (job.roles ?? {}) as Record<string, Role>;
  const unknown = job.role === undefined ? (plan?.unknown?.roles ?? []) : [];
  const words = [...Object.keys(said), ...unknown.map(({ name }) => name)];
  const ofAll = (role: string): void => {
    const columns = changed(job.columns ?? {}, 'role', undefined);
    set(role === '' ? { role: undefined } : { role: role as Role, roles: undefined, columns });
  };
  return (
    <>
      <Select
        name="Their role"
        value={job.role ?? ''}
        options={[['', 'by each row'], ...ROLES.map((role) => [role, `${role}, for all`] as const)]}
        onChosen={ofAll}
      />
      {words.map((word) => (
        <Select
          key={word}
          name={`“${word}” means`}
          value={said[word] ?? ''}
          options={[['', 'no role yet'], ...ROLES]}
          onChosen={(role) =>
            set({ roles: changed<Role>(said, word, (role || undefined) as Role | undefined) })
          }
        />
      ))}
    </>
  );
}

/** How far it may go. A limit that would hold it back is said below, where it can be allowed. */
export function Limits({ job, set }: Omit<ChoiceProps, 'plan'>) {
  const { guards = {} } = job;
  const limit = (name: keyof typeof guards, value: unknown): void =>
    set({ guards: changed<unknown>(guards, name, value) as ListJobChoice['guards'] });
  const { max_invites: invites, max_removals: removals = '10%', domains = [] } = guards;
  const countSet = Object.keys(guards).length;
  const countOf = (typed: string): number | undefined => (/^\d+$/.test(typed) ? Number(typed) : undefined);
  return (
    <details>
      <summary>Limits{countSet > 0 && `, ${countSet} set`}</summary>
      <Checkbox
        says="People may become admin"
        checked={guards.admins === 'allow'}
        onCheck={(isChecked) => limit('admins', isChecked ? 'allow' : undefined)}
      />
      <TextField
        key={`removals ${removals}`}
        name="At most so many are removed"
        value={removals}
        onTyped={(typed) => limit('max_removals', countOf(typed) ?? (typed || undefined))}
      />
      <TextField
        key={`invites ${invites}`}
        name="At most so many are invited"
        value={invites}
        placeholder="any number"
        onTyped={(typed) => limit('max_invites', countOf(typed))}
      />
      <TextField
        key={`domains ${domains.join()}`}
        name="Only addresses that end with"
        value={domains.join(', ')}
        placeholder="any"
        onTyped={(typed) => {
          const named = typed.split(/[\s,;]+/).filter(Boolean);
          limit('domains', named.length === 0 ? undefined : named);
        }}
      />
    </details>
  );
}
