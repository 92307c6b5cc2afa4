import type { ListJobChoice } from '../../../api.ts';
import { Checkbox, Field, Select } from '../../parts/controls.tsx';
import type { Scene } from './scene.ts';

const ROLES = ['viewer', 'editor', 'admin'] as const;

/** Where people of a team go, and what her words mean. How far it may go is asked where it would go too far. */
export function Team({ scene: { job, planned, choose } }: { readonly scene: Scene }) {
  const set = (more: ListJobChoice): void => choose({ ...job, ...more });
  const { projects: strangers = [], roles: unknown = [] } = planned.value?.unknown ?? {};
  return (
    <>
      {namesIn(job.projects, strangers).map(([name, id]) => (
        <Field
          key={name}
          says={`${name} is`}
          defaultValue={id ?? ''}
          placeholder="its id in the service"
          onTyped={(typed) => set({ projects: withEntry(job.projects, name, typed) })}
        />
      ))}
      {(strangers.length > 0 || job.create_projects === true) && (
        <Checkbox
          says="Make the projects that nobody knows. They cannot be deleted again."
          checked={job.create_projects === true}
          onCheck={(isChecked) => set({ create_projects: isChecked || undefined })}
        />
      )}
      <Select
        name="Their role"
        value={job.role ?? ''}
        options={[['', 'by each row'], ...ROLES.map((role) => [role, `${role}, for all`] as const)]}
        // Who has one role for all has neither words nor a column for it.
        onChosen={(role) => {
          const columns = job.columns && withEntry(job.columns, 'role', '');
          set({ role: role || undefined, roles: undefined, columns });
        }}
      />
      {namesIn(job.roles, job.role === undefined ? unknown : []).map(([word, role]) => (
        <Select
          key={word}
          name={`“${word}” means`}
          value={role ?? ''}
          options={[['', 'no role yet'], ...ROLES]}
          onChosen={(chosen) => set({ roles: withEntry(job.roles, word, chosen) })}
        />
      ))}
      <Checkbox
        says="Remove who is no longer on the list"
        checked={job.remove_missing === true}
        onCheck={(isChecked) => set({ remove_missing: isChecked || undefined })}
      />
    </>
  );
}

type Names = Readonly<Record<string, string | null>>;

/** What was said of names, and those of which nobody has said anything yet. */
const namesIn = (said: Names = {}, unknown: readonly { readonly name: string }[]) => {
  const others = unknown.filter(({ name }) => !(name in said)).map(({ name }) => [name, ''] as const);
  return [...Object.entries(said), ...others];
};

/** The names with this one, or without it where nothing is said of it. */
const withEntry = (names: Names = {}, name: string, said: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...names, [name]: said }).flatMap(([each, value]) => (value ? [[each, value]] : [])),
  );
