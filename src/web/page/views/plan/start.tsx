import { useSignal } from '@preact/signals';
import type { PlanView, WorkView } from '../../../api.ts';
import { asRefused, RefusedNotice } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { counted } from '../../parts/figures.ts';
import { go } from '../../router.ts';
import { ask } from '../../session.ts';
import { text } from '../../text.ts';

/** The button that spends, and what must be said before it may be pressed. */

/**
 * Whether a start of the plan needs a limit, because it buys. Calls that are only sent again stay within the
 * limit of their batch.
 */
function isPaid({ credits, account, to_buy, to_change }: PlanView): boolean {
  return credits.most > 0 && !account.sandbox && to_buy + to_change > 0;
}

/** What stands in the field for the limit; undefined where that is no number. */
function budgetIn(budget: string): number | undefined {
  return /^\d{1,12}$/.test(budget) ? Number(budget) : undefined;
}

export function Start({
  plan,
  budget,
  onBudget,
  onMoved,
}: {
  readonly plan: PlanView;
  /** The budget as the user typed it. */
  readonly budget: string;
  readonly onBudget: (typed: string) => void;
  readonly onMoved: () => void;
}) {
  const { plan: words } = text;
  const { confirm } = plan;
  const hasCosts = isPaid(plan);
  const typed = useSignal('');
  const action = useAction();
  const most = budgetIn(budget);
  const limit = hasCosts ? most : undefined;
  const isHeld =
    action.isBusy.value ||
    (hasCosts && most === undefined) ||
    (plan.guards ?? []).length > 0 ||
    plan.to_agree !== undefined;
  const start = (): void =>
    action.run(async () => {
      const body = {
        plan: plan.id,
        budget: limit,
        typed: confirm === null ? undefined : typed.value,
      };
      try {
        const work = await ask<WorkView>('/starts', { body });
        go(`/tasks/${work.id}`);
      } catch (error) {
        if (asRefused(error).code === 'plan') onMoved();
        throw error;
      }
    });
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      {hasCosts && (
        <label class="field">
          {words.budget}
          <input
            class="amount"
            inputMode="numeric"
            pattern="\d{1,12}"
            required
            value={budget}
            onInput={(event) => onBudget(event.currentTarget.value)}
          />
          <small>{words.budgetWhat}</small>
        </label>
      )}
      {confirm !== null && (
        <label class="field">
          <span>
            {words.type} <code>{confirm}</code>
          </span>
          <input
            value={typed.value}
            autocomplete="off"
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </label>
      )}
      <RefusedNotice refused={action.refused.value} />
      <div class="actions">
        <button
          type="submit"
          class={confirm === null ? 'primary' : 'danger'}
          disabled={isHeld || (confirm !== null && typed.value !== confirm)}
        >
          {startWords(plan, limit)}
        </button>
      </div>
    </form>
  );
}

/** The button says what it spends, so that nothing is agreed to unseen. */
function startWords(plan: PlanView, budget: number | undefined): string {
  const { plan: words } = text;
  const { account, to_buy, to_change, is_change, sent_again } = plan;
  if (is_change && to_change === 0) return words.startUnchanged;
  if (!is_change && to_buy === 0)
    return (sent_again?.credits ?? 0) > 0
      ? `${words.startMost} ${counted(sent_again?.credits ?? 0, 'credit')}`
      : words.startNothing;
  if (is_change) return `${words.startChanges} ${counted(to_change, 'change')}`;
  if (account.sandbox) return words.startPlay;
  return budget === undefined ? words.start : `${words.startMost} ${counted(budget, 'credit')}`;
}
