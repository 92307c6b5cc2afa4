import type { ListJobChoice, PlanObject } from '../../../api.ts';
import { Checkbox, Select } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { AskedBy } from './asked-by.tsx';
import { type Accounts, accountWords, canDo } from './choice.ts';
import type { Scene } from './scene.ts';
import { Limits, Projects, Roles } from './team-choices.tsx';
import { isMaking, isSent } from './team-words.ts';

interface TeamProps {
  readonly scene: Scene;
  readonly accounts: Accounts;
}

/** Where people of a team go, and how far it may go. */
export function Team({ scene, accounts }: TeamProps) {
  const { job, planned } = scene;
  const set = (more: ListJobChoice): void => scene.choose({ ...job, ...more });
  const chosen = { job, set, plan: planned.value };
  const services = accounts.filter((each) => canDo(each, 'onboard'));
  return (
    <>
      <Select
        name="In the account"
        value={String(job.account)}
        options={services.map((each) => [each.name, accountWords(each)] as const)}
        onChosen={(account) => set({ account })}
      />
      <Projects {...chosen} />
      <Roles {...chosen} />
      <Checkbox
        says="Remove who is no longer on the list"
        checked={job.remove_missing === true}
        onCheck={(isChecked) => set({ remove_missing: isChecked || undefined })}
      />
      <Limits job={job} set={set} />
      <AskedBy scene={scene} operation="onboard" />
    </>
  );
}

/** What would be done to a team, in the place of a price. */
export function Changes({ plan: { changes = [], people = 0 } }: { readonly plan: PlanObject }) {
  const sent = changes.filter(isSent);
  const made = sent.filter(isMaking);
  const removed = sent.filter(({ action }) => action === 'remove');
  return (
    <>
      <dl>
        <dt>Invites by e-mail</dt>
        <dd>{grouped(sent.filter(({ calls }) => calls?.includes('create-invite')).length)}</dd>
        <dt>Roles changed</dt>
        <dd>{grouped(sent.filter(({ action }) => action === 'change_role').length)}</dd>
        <dt>Removed</dt>
        <dd>
          {grouped(removed.length)} of {grouped(people)} known
        </dd>
        {made.length > 0 && <dt>Projects made</dt>}
        {made.length > 0 && <dd>{made.map(({ project }) => project).join(', ')}</dd>}
      </dl>
      {sent.length === 0 && <p>There is nothing to change.</p>}
    </>
  );
}

/** What of it cannot be taken back. */
export function Undoable({ plan: { changes = [] } }: { readonly plan: PlanObject }) {
  const sent = changes.filter(isSent);
  if (sent.length === 0) return null;
  return (
    <p class="soft">
      Can be undone later, but for the mails
      {sent.some(({ action }) => action === 'remove') && ', and who is removed has to be invited again'}
      {sent.some(isMaking) && ', and the new projects stay'}.
    </p>
  );
}
