import { useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment } from 'preact';
import type { Choices, PlanView } from '../../api.ts';
import { RefusedNotice } from '../loaded.tsx';
import { useAsked } from '../parts/action.ts';
import { Agree } from '../parts/agree.tsx';
import { Cut } from '../parts/controls.tsx';
import { Diff } from '../parts/diff.tsx';
import { duration, grouped } from '../parts/figures.ts';
import { inputWords } from '../parts/several.ts';
import { Steps } from '../parts/steps.tsx';
import { PlayMoney } from '../parts/tags.tsx';
import { ask } from '../session.ts';
import { plainWord, text, wordOf } from '../text.ts';
import { Nothing, Reasons } from './columns.tsx';
import { Start } from './plan/start.tsx';

/** What it costs, before anything is agreed to. What is started is this plan and no other. */
export function Plan({ params: { id = '' } }: { readonly params: Readonly<Record<string, string>> }) {
  const choices = useSignal<Choices | undefined>(undefined);
  const budget = useSignal<string | undefined>(undefined);
  const again = useSignal(0);
  const asked = useAsked<PlanView>(
    (signal) => {
      const chosen = choices.peek();
      const body = {
        list: id,
        ...(chosen === undefined ? {} : { choices: chosen }),
      };
      return ask('/plans', { body, signal });
    },
    [id, again.value, choices.value],
  );
  const { value: plan, refused } = asked.value;
  if (refused?.code === 'usage' && plan === undefined && refused.message.startsWith('You have not chosen'))
    return <Nothing list={id} />;
  return (
    <>
      <Steps list={id} at={3} />
      {plan === undefined && refused === undefined && <p class="loading">{text.plan.planning}</p>}
      <RefusedNotice refused={refused} />
      {plan !== undefined && (
        <PlanShown
          key={plan.id}
          plan={plan}
          budget={budget.value ?? String(plan.credits.most)}
          onBudget={(typed) => (budget.value = typed)}
          onChoices={(next) => (choices.value = next)}
          onMoved={() => (again.value += 1)}
        />
      )}
    </>
  );
}

interface PlanProps {
  readonly plan: PlanView;
  readonly budget: string;
  readonly onBudget: (typed: string) => void;
  readonly onChoices: (choices: Choices) => void;
  readonly onMoved: () => void;
}

function PlanShown({ plan, budget, onBudget, onChoices, onMoved }: PlanProps) {
  const { plan: words } = text;
  const { name, operation, account, list } = plan;
  return (
    <>
      <div class="title">
        <h1>{words.title}</h1>
        <Cut look="muted" text={name} />
      </div>
      <p>
        {wordOf(text.todo.operations, operation)} {words.withAccount} <strong>{account.name}</strong>{' '}
        {account.sandbox && <PlayMoney />}
        <br />
        <span class="muted">
          {Object.entries(plan.columns)
            .map(([input, column]) => `${inputWords(input)} ← ${column}`)
            .join(', ')}
        </span>{' '}
        <a href={`/lists/${list}/columns`}>{words.change}</a>
        <Way plan={plan} />
      </p>
      <Figures plan={plan} />
      {plan.requests.length > 0 && (
        <div class="notice">
          <strong>{words.requests}</strong> {plan.requests.join('; ')}
        </div>
      )}
      {plan.to_agree !== undefined && <Agree plan={plan.id} toAgree={plan.to_agree} onAgreed={onMoved} />}
      {plan.reasons !== undefined && (
        <details class="card">
          <summary>{text.plan.reasons}</summary>
          <Reasons reasons={plan.reasons} />
        </details>
      )}
      {plan.changes !== null && <Diff changes={plan.changes} actions={plan.actions} leavers={plan.leavers} />}
      <Guards plan={plan} onChoices={onChoices} />
      <Start plan={plan} budget={budget} onBudget={onBudget} onMoved={onMoved} />
    </>
  );
}

function Way({ plan: { waterfall, adds, is_change: isChange } }: { readonly plan: PlanView }) {
  const { plan: words } = text;
  if (isChange) return null;
  return (
    <>
      {waterfall.length > 0 && (
        <>
          <br />
          {words.lookedUp}{' '}
          {waterfall.map((tier, at) => (
            <Fragment key={tier}>
              {at > 0 && <span class="muted"> {words.nextBy} </span>}
              <strong>{plainWord(tier)}</strong>
            </Fragment>
          ))}
        </>
      )}
      <br />
      {words.adds} <span class="muted">{adds.length === 0 ? text.columns.allFields : adds.join(', ')}</span>
    </>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Figures({ plan }: { readonly plan: PlanView }) {
  const { figures } = text.plan;
  const { credits, seconds } = plan;
  const others = [
    [figures.invalid, plan.invalid],
    [figures.duplicates, plan.duplicates],
    [figures.skipped, plan.skipped ?? 0],
    [figures.bought, plan.bought_before],
    [figures.later, plan.accepted],
    [figures.doubt, plan.in_doubt],
    [figures.again, plan.sent_again?.rows ?? 0],
    [figures.unanswered, plan.unanswered?.rows ?? 0],
  ] as const;
  return (
    <dl class="figures">
      <Figure name={figures.rows}>{grouped(plan.rows)}</Figure>
      {others.map(([name, count]) =>
        count === 0 ? null : (
          <Figure key={name} name={name}>
            {grouped(count)}
          </Figure>
        ),
      )}
      <Figure name={plan.is_change ? figures.toChange : figures.toBuy}>
        {grouped(plan.is_change ? plan.to_change : plan.to_buy)}
      </Figure>
      {(credits.most > 0 || !plan.is_change) && (
        <Figure name={figures.most}>
          {grouped(credits.most)}
          {credits.expected < credits.most && (
            <small class="muted">
              {' '}
              {figures.expected} {grouped(credits.expected)}
            </small>
          )}
        </Figure>
      )}
      {plan.to_buy + plan.to_change > 0 && (
        <Figure name={figures.time}>
          {seconds === null ? <small>{figures.unknown}</small> : duration(seconds)}
        </Figure>
      )}
    </dl>
  );
}

/** What a guard would hold back. Where the job can allow it, a button plans the list again with that. */
function Guards({ plan, onChoices }: Pick<PlanProps, 'plan' | 'onChoices'>) {
  const { guards = [], choices } = plan;
  return guards.map(({ fact, allow }) => {
    const removals = /max_removals: (\d+)/.exec(allow)?.[1];
    const isAdmins = allow.includes('admins: allow');
    const more = {
      ...(removals === undefined ? {} : { max_removals: Number(removals) }),
      ...(isAdmins ? { admins: 'allow' as const } : {}),
    };
    return (
      <div key={fact} class="notice stack">
        <p>
          <strong>{text.plan.guard}</strong> {fact}.
        </p>
        {Object.keys(more).length === 0 ? (
          <p>
            {text.plan.ifMeant} {allow}.
          </p>
        ) : (
          <div class="actions">
            <button
              type="button"
              onClick={() => onChoices({ ...choices, guards: { ...choices.guards, ...more } })}
            >
              {text.plan.allow}
            </button>
          </div>
        )}
      </div>
    );
  });
}
