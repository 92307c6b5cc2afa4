import { listed } from '../../../../../core/plain-text.ts';
import { changesDoneIn } from '../../../../../files/output/summary-words.ts';
import type { ListJobChoice } from '../../../../api.ts';
import { lazyPart } from '../../../parts/asking.tsx';
import { Checkbox, Facts, Field, Notice, Select } from '../../../parts/controls.tsx';
import { counted, grouped, needWords } from '../../../parts/figures.ts';
import type { OfPlan, OfScene } from '../scene.ts';
import { cameWith, changeFacts, heldWords, isMaking, missingIn, plannedTeam } from '../team.ts';

const Charged = lazyPart(async () => (await import('./charged.tsx')).Charged, '');
const Misspelled = lazyPart(async () => (await import('../mends/misspelled.tsx')).Misspelled, '');

const ROLES = ['viewer', 'editor', 'admin'] as const;

/** Which projects her names are: what a misspelled one means, which are made, and the ids of the others. */
export function Projects({ scene }: OfScene) {
  const { job, planned, choose } = scene;
  const set = (more: ListJobChoice): void => choose({ ...job, ...more });
  const { projects: strangers = [], misspelled = [] } = planned.value?.unknown ?? {};
  const made = planned.value?.changes?.filter(isMaking).map(({ project }) => project ?? '') ?? [];
  return (
    <>
      {misspelled.length > 0 && <Misspelled scene={scene} names={misspelled} />}
      {(strangers.length > 0 || job.create_projects === true) && (
        <Checkbox
          says="Create the projects that the service lacks, for good."
          checked={job.create_projects === true}
          onCheck={(isChecked) => set({ create_projects: isChecked || undefined })}
        />
      )}
      {made.length > 0 && <p>Will be made: {listed(made)}</p>}
      {namesIn(job.projects, strangers).map(([name, id]) => (
        <Field
          key={name}
          says={`${name} is`}
          defaultValue={id ?? ''}
          placeholder="its id there"
          onTyped={(typed) => set({ projects: withEntry(job.projects, name, typed) })}
        />
      ))}
    </>
  );
}

/** What her words for roles mean, and who is removed. What goes too far is asked there. */
export function TeamChoice({ scene: { job, planned, choose } }: OfScene) {
  const set = (more: ListJobChoice): void => choose({ ...job, ...more });
  const { roles: unknown = [] } = planned.value?.unknown ?? {};
  const missing = planned.value ? missingIn(planned.value) : '';
  const came = planned.value ? cameWith(planned.value) : '';
  const { held_back: held = 0, changes = [] } = planned.value ?? {};
  // The first of them names the row that may mean the person.
  const [why = ''] = changes.flatMap((each) => heldWords(each) ?? []);
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
      {missing !== '' && (
        <p class="soft">
          Not on this list: {missing}; {came || 'from any list of Rowonce'}. People invited by others stay.
        </p>
      )}
      {held > 0 && <Notice says={`${counted(held, 'removal waits', 'removals wait')}: ${why}`} />}
    </>
  );
}

type Names = Readonly<Record<string, string | null>>;

/** What was said of names, and those of which nobody has said anything yet. */
const namesIn = (knownNames: Names = {}, unknown: readonly { readonly name: string }[]) => {
  const open = unknown.filter(({ name }) => !Object.hasOwn(knownNames, name));
  return [...Object.entries(knownNames), ...open.map(({ name }) => [name, ''] as const)];
};

/** The names with this one, or without it where nothing is said of it. */
const withEntry = (names: Names = {}, name: string, projectId: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...names, [name]: projectId }).flatMap(([each, value]) =>
      value ? [[each, value]] : [],
    ),
  );

/** What would be done to a team, in the place of a price. */
export function Changes({ plan }: Pick<OfPlan, 'plan'>) {
  const { planned, done } = plannedTeam(plan);
  const sent = changesDoneIn({ done });
  const needed = plan.invalid > 0 && `, and ${needWords(plan.invalid)}`;
  if (sent === 0) return <p>There is nothing to change{needed}.</p>;
  return (
    <>
      <Facts
        of={changeFacts(done, ['Wait for an earlier answer', planned - sent])}
        sum={['Changes', grouped(planned)]}
      />
      {plan.credits.most > 0 && <Charged plan={plan} />}
      <p class="soft">
        Can be undone later, but for e-mails: who is removed has to be invited again; new projects stay.
      </p>
    </>
  );
}
