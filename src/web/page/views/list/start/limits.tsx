import { accountWords } from '../../../../../files/output/summary-words.ts';
import { Field } from '../../../parts/controls.tsx';
import { stepsOf } from '../job.ts';
import type { OfScene } from '../scene.ts';

/** The most that the list may use of each of several accounts, beside the limit for all of it. */
export function Limits({ scene }: OfScene) {
  const { job, planned, choose } = scene;
  const names = new Set(stepsOf(job).flatMap(({ accounts }) => accounts));
  const { credits = planned.value?.credits.most, accounts = {} } = job.budget ?? {};
  const limit = (name: string, typed: string): void => {
    const { [name]: _, ...others } = accounts;
    const newLimits = typed === '' ? others : { ...others, [name]: Math.max(0, Math.trunc(Number(typed))) };
    const { budget: __, ...free } = job;
    const isLimited = credits !== undefined && Object.keys(newLimits).length > 0;
    choose(isLimited ? { ...free, budget: { credits, accounts: newLimits } } : free);
  };
  return [...names].map((name) => (
    <Field
      key={name}
      says={`Most credits at ${accountWords(name)}`}
      inline
      type="number"
      min={0}
      placeholder="no limit"
      disabled={credits === undefined}
      value={accounts[name] ?? ''}
      onTyped={(typed) => limit(name, typed)}
    />
  ));
}
