import { Notice, Select } from '../../../parts/controls.tsx';
import { columnsUsed } from '../columns.ts';
import { stepsOf, UNREAD, withAsked } from '../job.ts';
import type { OfPlan } from '../scene.ts';

/** Which column says where people go, or that none does and the account's project is meant. */
export function WhereTo({ scene, plan: { default_project: project } }: OfPlan) {
  const { job, choose } = scene;
  const [step] = stepsOf(job);
  if (project === undefined || step === undefined) return null;
  const chosen = { ...job, columns: columnsUsed(scene) };
  const all = `none: all go to ${project.project}`;
  return (
    <Notice says="Which column says the project?">
      <Select
        name="The project is in"
        value="?"
        options={[['?', 'choose'], ...project.columns, [UNREAD, all]]}
        onChosen={(column) => choose(withAsked(chosen, step, { project: column }))}
      />
    </Notice>
  );
}
