import { useSignal } from '@preact/signals';
import type { JobSaved, PlanView } from '../../api.ts';
import { Refusal } from '../loaded.tsx';
import { ask } from '../session.ts';
import { text } from '../text.ts';
import { useAction } from './action.ts';

/** The plan for later: as a named job that stands among the choices, and as a command that does the same. */
export function KeepPlan({
  plan,
  budget,
}: {
  readonly plan: PlanView;
  /** The most credits that a run may spend; undefined where nothing is paid. */
  readonly budget: number | undefined;
}) {
  const { keep } = text;
  const name = useSignal('');
  const said = useSignal('');
  const action = useAction();
  const command = budget === undefined ? plan.command : `${plan.command} --budget ${budget}`;
  const save = (event: Event): void => {
    event.preventDefault();
    action.run(async () => {
      const { path } = await ask<JobSaved>('/jobs', { body: { name: name.value, plan: plan.id } });
      said.value = `${keep.saved} ${path}`;
    });
  };
  return (
    <details class="card">
      <summary>{keep.title}</summary>
      <div class="stack">
        <form class="actions end" onSubmit={save}>
          <label class="field">
            {keep.name}
            <input
              value={name.value}
              required
              pattern="[\w\-]{1,60}"
              title={keep.nameWhat}
              onInput={(event) => (name.value = event.currentTarget.value)}
            />
          </label>
          <button type="submit">{keep.save}</button>
        </form>
        <Refusal refused={action.refused.value} />
        <p class="muted">{keep.commandWhat}</p>
        <pre>{command}</pre>
        <p aria-live="polite" class="muted">
          {said.value}
        </p>
      </div>
    </details>
  );
}
