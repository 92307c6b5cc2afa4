import { useSignal } from '@preact/signals';
import type { BatchDetail, WorkView } from '../../../api.ts';
import { Refusal } from '../../loaded.tsx';
import { type Action, useAction } from '../../parts/action.ts';
import { Button, ButtonLink } from '../../parts/controls.tsx';
import { counted } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { text, wordOf } from '../../text.ts';

/** What mends a stop, and what a batch goes on with that has ended: whatever a terminal can say to it, each by a button. */

const words = text.batch;

interface Said {
  readonly budget?: string;
  readonly answer?: string;
  readonly plan?: string;
}

function goOn(action: Action, { batch }: Pick<BatchDetail, 'batch'>, said: Said = {}): void {
  const query = new URLSearchParams({ ...said });
  action.run(() => ask(`/batches/${batch}/continue?${query}`, { method: 'POST' }));
}

/** Buys again what turned out to be no answer, within a limit that a person names. */
export function BuyAgain({ batch, running }: { readonly batch: BatchDetail; readonly running: boolean }) {
  const { budget } = batch.credits;
  return (
    <WithBudget
      label={batch.has_costs && !batch.sandbox ? words.moreBudget : undefined}
      enough={budget ?? undefined}
      button={words.buyAgain(counted(batch.unanswered ?? 0, 'row'))}
      what={words.buyAgainWhat}
      isHeld={running || batch.next === null || batch.followed_by !== null}
      onGo={(action, limit) => goOn(action, batch, { ...limit, answer: 'yes' })}
    />
  );
}

const ACCOUNT_CHANGES = {
  key: words.changeKey,
  account_budget: words.changeBudget,
  address: words.changeAddress,
};

export function isOfAccount(code: string): code is keyof typeof ACCOUNT_CHANGES {
  return Object.hasOwn(ACCOUNT_CHANGES, code);
}

export function Mend({
  batch,
  stopped: { code, message, next, budget, answers = [], plan },
  said,
}: {
  readonly batch: BatchDetail;
  readonly stopped: NonNullable<WorkView['stopped']>;
  /** What the command has shown: the changes to which a yes agrees. */
  readonly said: readonly string[];
}) {
  const action = useAction();
  if (isOfAccount(code)) {
    const { account } = batch;
    const where = new URLSearchParams({ [code === 'key' ? 'key' : 'change']: account, batch: batch.batch });
    return (
      <div class="actions">
        <ButtonLink to={`/accounts?${where}`} says={ACCOUNT_CHANGES[code](account)} />
        <Answers {...{ action, batch, answers, plan }} />
      </div>
    );
  }
  if (budget !== undefined)
    return (
      <WithBudget
        key={budget}
        label={words.moreBudget}
        enough={budget}
        button={words.goOnWith}
        onGo={(going, limit) => goOn(going, batch, limit)}
      />
    );
  if (answers.length === 0) return null;
  return (
    <>
      {plan !== undefined && (
        <pre class="card">{said.filter((line) => line !== message && line !== next).join('\n')}</pre>
      )}
      <div class="actions">
        <Answers {...{ action, batch, answers, plan }} />
      </div>
    </>
  );
}

interface AnswersProps {
  readonly action: Action;
  readonly batch: BatchDetail;
  readonly answers: readonly string[];
  readonly plan: string | undefined;
}

function Answers({ action, batch, answers, plan }: AnswersProps) {
  return (
    <>
      {answers.map((answer) => (
        <button
          key={answer}
          type="button"
          class={plan === undefined ? '' : 'danger'}
          disabled={action.isBusy.value}
          onClick={() => goOn(action, batch, { answer, ...(plan === undefined ? {} : { plan }) })}
        >
          {answer === 'yes' && batch.changes === undefined
            ? words.agree
            : wordOf(words.answers, answer.replace(/:.*/, ''))}
        </button>
      ))}
      <Refusal refused={action.refused.value} />
    </>
  );
}

interface WithBudgetProps {
  /** Undefined where nothing is paid. */
  readonly label: string | undefined;
  readonly enough: number | undefined;
  readonly button: string;
  readonly what?: string;
  readonly isHeld?: boolean;
  readonly onGo: (action: Action, limit: { readonly budget?: string }) => void;
}

function WithBudget({ label, enough, button, what, isHeld = false, onGo }: WithBudgetProps) {
  const budget = useSignal(enough === undefined ? '' : String(enough));
  const action = useAction();
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        onGo(action, label === undefined ? {} : { budget: budget.value });
      }}
    >
      {label !== undefined && (
        <label class="field">
          {label}
          <input
            type="number"
            min={1}
            step={1}
            required
            value={budget.value}
            onInput={({ currentTarget }) => (budget.value = currentTarget.value)}
          />
        </label>
      )}
      <Button type="submit" class="primary" disabled={isHeld || action.isBusy.value} says={button} />
      {what !== undefined && <span class="muted">{what}</span>}
      <Refusal refused={action.refused.value} />
    </form>
  );
}
