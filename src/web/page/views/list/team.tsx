import type { ListJobChoice } from '../../../api.ts';
import { Checkbox, Select, TextField } from '../../parts/controls.tsx';
import { counted } from '../../parts/figures.ts';
import type { Scene } from './scene.ts';

/** Where people of a team go, and what her words mean. How far it may go is asked where it would go too far. */
export function Team({ scene }: { readonly scene: Scene }) {
  const set = (more: ListJobChoice): void => scene.choose({ ...scene.job, ...more });
  return (
    <>
      <Projects scene={scene} set={set} />
      <Roles scene={scene} set={set} />
      <Checkbox
        says="Remove who is no longer on the list"
        checked={scene.job.remove_missing === true}
        onCheck={(isChecked) => set({ remove_missing: isChecked || undefined })}
      />
    </>
  );
}

interface ChoiceProps {
  readonly scene: Scene;
  readonly set: (more: ListJobChoice) => void;
}

/** The names with this one, or without it where nothing is said of it. */
const withEntry = (of: Readonly<Record<string, string | null>> = {}, name: string, said: string) =>
  Object.fromEntries(
    Object.entries({ ...of, [name]: said }).flatMap(([each, value]) => (value ? [[each, value]] : [])),
  );

/** A field for each project of the list, and a tick for those that nobody knows. */
function Projects({ scene: { job, planned }, set }: ChoiceProps) {
  const unknown = planned.value?.unknown?.projects ?? [];
  const known = Object.entries(job.projects ?? {}).map(([name, id]) => ({ name, id, says: `${name} is` }));
  const strangers = unknown.map(({ name, rows }) => {
    return { name, id: '', says: `${name} (${counted(rows, 'row')}) is` };
  });
  return (
    <>
      {[...known, ...strangers].map(({ name, id, says }) => (
        <TextField
          key={name}
          name={says}
          value={id ?? ''}
          placeholder="its id"
          onTyped={(typed) => set({ projects: withEntry(job.projects, name, typed) })}
        />
      ))}
      {(unknown.length > 0 || job.create_projects === true) && (
        <Checkbox
          says="Make the projects that nobody knows. They cannot be deleted again."
          checked={job.create_projects === true}
          onCheck={(isChecked) => set({ create_projects: isChecked || undefined })}
        />
      )}
    </>
  );
}

const ROLES = ['viewer', 'editor', 'admin'] as const;

/** One role for all, or what the words of the list mean. */
function Roles({ scene: { job, planned }, set }: ChoiceProps) {
  const unknown = job.role === undefined ? (planned.value?.unknown?.roles ?? []) : [];
  const words = [...Object.keys(job.roles ?? {}), ...unknown.map(({ name }) => name)];
  return (
    <>
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
      {words.map((word) => (
        <Select
          key={word}
          name={`“${word}” means`}
          value={job.roles?.[word] ?? ''}
          options={[['', 'no role yet'], ...ROLES]}
          onChosen={(role) => set({ roles: withEntry(job.roles, word, role) })}
        />
      ))}
    </>
  );
}
