import { useSignal } from '@preact/signals';
import { bringsRequest, describedOperation } from '../../../core/described.ts';
import { priceOf } from '../../../core/money.ts';
import { capital } from '../../../core/plain-text.ts';
import { Bar, Fold } from '../../../files/output/report/parts.ts';
import { accountWords, inputWords, whatWords } from '../../../files/output/summary-words.ts';
import type { AccountObject, SpendObject, TrialObject, WorkAnswer } from '../../api.ts';
import { Act, Loaded } from '../parts/asking.tsx';
import { Facts, Field, Popover, Select, Title } from '../parts/controls.tsx';
import { untilEnded } from '../parts/ended.ts';
import { counted, creditWords, grouped, money, spentWords } from '../parts/figures.ts';
import { Form } from '../parts/form.tsx';
import { Prices } from '../parts/price.tsx';
import { ANSWERS, NewKey, rawAnswer, TestAccount } from '../parts/vendor.tsx';
import { acted, ask, onPage, showActed } from '../session.ts';
import { AddAccount, type Known } from './accounts/add.tsx';

interface AccountList extends Known {
  readonly accounts: readonly AccountObject[];
}

/** The accounts at vendors: what each can do, what was used of it, and its key, which is never shown. */
export const Accounts = () => (
  <>
    <Title name="Accounts" />
    <Loaded<AccountList> path="/accounts/list" body={{}} again={acted.value}>
      {(known) => (
        <Loaded<SpendObject> path="/spend" body={{ by: 'account' }} again={acted.value}>
          {(spend) => <All {...known} spend={spend} />}
        </Loaded>
      )}
    </Loaded>
  </>
);

function All({ spend, ...known }: AccountList & { readonly spend: SpendObject }) {
  const { accounts } = known;
  const realAccounts = accounts.filter(({ sandbox }) => !sandbox);
  const lineOf = (account: AccountObject) => <Line key={account.name} account={account} spend={spend} />;
  return (
    <div class="view grid2" tabIndex={-1}>
      <div class="stack">
        {realAccounts.length === 0 ? (
          <p class="paper pad soft">
            No account yet. Add the one that finds what you need; its key stays on this machine.
          </p>
        ) : (
          <ul class="paper rows accounts" aria-label="Your accounts">
            {realAccounts.map(lineOf)}
          </ul>
        )}
        <Fold title="Play money: it needs no key, and its answers are invented">
          <ul class="paper rows accounts">{accounts.filter(({ sandbox }) => sandbox).map(lineOf)}</ul>
        </Fold>
      </div>
      <AddAccount {...known} />
    </div>
  );
}

interface LineProps {
  readonly account: AccountObject;
  readonly spend: SpendObject;
}

function Line({ account, spend }: LineProps) {
  const { name, sandbox, problem } = account;
  const called = accountWords(name);
  return (
    <li>
      <span>
        <b>{called}</b>
        <br />
        <small>{abilitiesOf(account)}</small>
      </span>
      <Used account={account} spend={spend} />
      <small>{termsOf(account)}</small>
      {sandbox ? <span /> : <TestAccount name={name} />}
      {(!sandbox || triable(account).length > 0) && (
        <Popover name={`More for ${called}`} says="⋯" label={`More for ${called}`} look="quiet">
          {(close) => <More account={account} onDone={close} />}
        </Popover>
      )}
      {problem !== null && <p class="need">▲ {onPage(problem).message}</p>}
    </li>
  );
}

function abilitiesOf({ vendor, title, name, operations = [] }: AccountObject): string {
  if (vendor === 'service') return 'invites, roles, removals';
  const named = operations.filter((each) => !bringsRequest(each)).map(whatWords);
  // An account that has a name of its own says whose it is.
  const isSaid = title === undefined || accountWords(name).startsWith(title);
  return (isSaid ? '' : `${title}: `) + named.join(', ');
}

function Used({ account, spend }: LineProps) {
  const { name, budget, sandbox, vendor } = account;
  if (vendor === 'service') return <span />;
  const group = spend.groups.find((each) => each.name === name && each.sandbox === sandbox);
  const used = group ?? { spent: 0, exact: true };
  const most = budget.per_month;
  return (
    <span>
      {most !== null && <Bar part={used.spent} all={most} />}
      <small>
        {most === null ? creditWords(used) : `${spentWords(used)} of ${counted(most, 'credit')}`} this month
      </small>
    </span>
  );
}

/** `A$0.40 · misses free`. */
function termsOf({ vendor, sandbox, price, charges_misses: charges }: AccountObject): string {
  if (vendor === 'service' || sandbox) return 'free';
  const misses = charges === undefined ? [] : [charges ? 'misses are paid' : 'misses free'];
  const each = priceOf(price ?? '');
  return [...(each ? [money([each])] : []), ...misses].join(' · ');
}

/** What is rare: its facts, another key, a first purchase, and the end of it. */
function More({ account, onDone }: Pick<LineProps, 'account'> & { onDone(): void }) {
  const { name, sandbox, vendor, address, key, limits, budget, organization, project } = account;
  const called = accountWords(name);
  const { concurrency, ...within } = limits;
  const often = Object.entries(within).flatMap(([per, most]) =>
    most === null ? [] : [`${grouped(most)} ${per.replace('_', ' a ').replace('per a', 'a')}`],
  );
  return (
    <div class="stack">
      <Facts
        of={[
          ['Address', address === null ? '' : new URL(address).host],
          ['Organization of new projects', sandbox ? '' : (organization ?? '')],
          ['Project, where none is named', sandbox ? '' : (project ?? '')],
          ['Requests', [...often, `${grouped(concurrency)} at once`].join(', ')],
          ['Credits a day at most', budget.per_day === null ? '' : grouped(budget.per_day)],
          ['Key', sandbox ? '' : key],
        ]}
      />
      {triable(account).length > 0 && <OneTry account={account} />}
      {!sandbox && (
        <>
          {vendor === 'provider' && <Prices of={[account]} onSaved={onDone} />}
          <NewKey name={name} says="Save the key" onSaved={onDone} />
          <Act
            look="quiet"
            says={`Remove ${called}`}
            asks={`Remove the account ${called}, with its key? What it has found stays.`}
            does={() => ask('/accounts/remove', { body: { name } })}
          />
        </>
      )}
    </div>
  );
}

/** By what it is asked for; one that is left blank is not sent. */
const triedBy = (operation: string): readonly string[] => describedOperation(operation)?.tried ?? [];

const triable = ({ operations = [] }: AccountObject): readonly string[] =>
  operations.filter((name) => triedBy(name).length > 0);

/** A first purchase: one request, what came back, and what it cost. */
function OneTry({ account }: Pick<LineProps, 'account'>) {
  const names = triable(account);
  const job = useSignal(names[0] ?? '');
  const trial = useSignal<TrialObject | undefined>(undefined);
  const send = async ({ budget, ...given }: Record<string, unknown>): Promise<void> => {
    trial.value = undefined;
    const body = { job: job.value, account: account.name, given, budget: Number(budget) };
    const { work } = await ask<WorkAnswer>('/try', { body });
    trial.value = await untilEnded<TrialObject>(work.id);
    showActed();
  };
  return (
    <>
      <Form says="Ask for this one" sends={send}>
        <Select
          name="Try one: what to find"
          value={job.value}
          options={names.map((name) => [name, whatWords(name)] as const)}
          onChosen={(next) => (job.value = next)}
        />
        {triedBy(job.value).map((input) => (
          <Field key={input} says={capital(inputWords(input))} name={input} />
        ))}
        <Field says="Never more credits than" name="budget" type="number" min={0} defaultValue="1" required />
      </Form>
      <div role="status">{trial.value && <Tried {...trial.value} />}</div>
    </>
  );
}

function Tried({ request, reply, answer, credits, source }: TrialObject) {
  const cost =
    source === 'ledger' ? 'It was known, and cost nothing now.' : `Credits: ${spentWords(credits)}.`;
  return (
    <>
      <p>
        <strong>Answer: {ANSWERS[answer ?? ''] ?? 'none yet'}.</strong> {cost}
      </p>
      <h3>What was sent</h3>
      <pre>
        {request.method} {request.url}
        {request.body === undefined ? '' : `\n${request.body}`}
      </pre>
      {reply !== null && (
        <>
          <h3>What came back</h3>
          <pre>{rawAnswer(reply.body)}</pre>
        </>
      )}
    </>
  );
}
