import { useSignal } from '@preact/signals';
import { bringsRequest, describedOperation } from '../../../core/described.ts';
import { priceOf } from '../../../core/money.ts';
import { capital } from '../../../core/plain-text.ts';
import { Bar, Fold } from '../../../files/output/report/table.ts';
import { inputWords, whatWords } from '../../../files/output/summary-words.ts';
import type { AccountObject, SpendObject, TrialObject, VendorObject, WorkAnswer } from '../../api.ts';
import { Act, Form, Loaded, late, untilEnded } from '../parts/asking.tsx';
import { Field, Popover, Select } from '../parts/controls.tsx';
import { counted, creditWords, grouped, money, spentWords } from '../parts/figures.ts';
import { ANSWERS, NewKey, rawAnswer, TestAccount } from '../parts/vendor.tsx';
import { acted, ask, onPage, showActed } from '../session.ts';

interface Known {
  readonly regions: readonly { readonly region: string }[];
  readonly vendors: readonly VendorObject[];
}

interface AccountList extends Known {
  readonly accounts: readonly AccountObject[];
}

/** The accounts at vendors: what each can do, what was used of it, and its key, which is never shown. */
export function Accounts() {
  return (
    <>
      <header>
        <h1>Accounts</h1>
      </header>
      <Loaded<AccountList> path="/accounts/list" body={{}} again={acted.value}>
        {({ accounts, ...known }) => (
          <Loaded<SpendObject> path="/spend" body={{ by: 'account' }} again={acted.value}>
            {(spend) => {
              const card = (account: AccountObject) => (
                <Card key={account.name} account={account} spend={spend} />
              );
              return (
                <>
                  <div class="two">
                    {accounts.filter(({ sandbox }) => !sandbox).map(card)}
                    <AddAccount {...known} />
                  </div>
                  <Fold title="Play money: accounts that need no key and invent their answers">
                    <div class="two">{accounts.filter(({ sandbox }) => sandbox).map(card)}</div>
                  </Fold>
                </>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

interface CardProps {
  readonly account: AccountObject;
  readonly spend: SpendObject;
}

function Card({ account, spend }: CardProps) {
  const { name, sandbox, address, problem } = account;
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      <p>
        {abilitiesOf(account)}
        {address !== null && <span class="soft"> · {new URL(address).host}</span>}
      </p>
      <Used account={account} spend={spend} />
      <p class="soft">{termsOf(account)}</p>
      {problem !== null && <p class="need">{onPage(problem).message}</p>}
      <div class="row">
        {!sandbox && <TestAccount name={name} />}
        {triable(account).length > 0 && (
          <Popover name={`Try ${name}`} says="Try one…">
            {() => <OneTry account={account} />}
          </Popover>
        )}
        {!sandbox && (
          <>
            <Popover name={`The key of ${name}`} says="Change the key">
              {(close) => <NewKey name={name} says="Save the key" onSaved={close} />}
            </Popover>
            <Act
              look="link"
              aria-label={`Remove ${name}`}
              says="Remove"
              asks={`Remove the account ${name}, with its key? What it has found stays.`}
              does={() => ask('/accounts/remove', { body: { name } })}
            />
          </>
        )}
      </div>
    </section>
  );
}

function abilitiesOf({ vendor, operations = [] }: AccountObject): string {
  if (vendor === 'service') return 'Projects and people: invites, roles, removals';
  const named = operations.filter((name) => !bringsRequest(name));
  return `Finds ${named.map(whatWords).join(', ')}`;
}

function Used({ account, spend }: CardProps) {
  const { name, budget, sandbox, vendor } = account;
  if (vendor === 'service') return null;
  const group = spend.groups.find((each) => each.name === name && each.sandbox === sandbox);
  const used = group ?? { spent: 0, exact: true };
  const most = budget.per_month;
  return (
    <>
      <p>
        {most === null ? creditWords(used) : `${spentWords(used)} of ${counted(most, 'credit')}`} this month
      </p>
      {most !== null && <Bar part={used.spent} all={most} />}
    </>
  );
}

/** `A$0.40 a credit · misses are free`. */
function termsOf({ vendor, sandbox, price, charges_misses: charges }: AccountObject): string {
  if (vendor === 'service') return '';
  const misses = charges === undefined ? [] : [charges ? 'misses are paid' : 'misses are free'];
  const each = priceOf(price ?? '');
  return [...(each ? [`${money([each])} a credit`] : []), ...(sandbox ? [] : misses)].join(' · ');
}

const TryLine = late(async () => (await import('./try-line.tsx')).TryLine);

const AddAccount = (known: Known) => (
  <section aria-label="Add an account">
    <h2>Add an account</h2>
    <p class="soft">
      {grouped(known.vendors.length)} vendors are known by name; any other needs its web address.
    </p>
    <Popover name="A new account" says="Choose a vendor" look="go">
      {(close) => <NewAccount {...known} onAdded={close} />}
    </Popover>
    <Popover name="A vendor by a line of its page" says="Another vendor: try it">
      {(close) => <TryLine onAdded={close} />}
    </Popover>
  </section>
);

const OTHERS = [
  ['provider', 'Another one, which finds companies or people'],
  ['service', 'Another one, which has projects and people'],
] as const;

/** The key is sent once, in the body, and then leaves its field. */
function NewAccount({ vendors, regions, onAdded }: Known & { onAdded(): void }) {
  const word = useSignal<string>(OTHERS[0][0]);
  const chosen = vendors.find((each) => each.word === word.value);
  const region = regions.find((each) => each.region === word.value)?.region;
  const add = async ({ budget_per_month: most, ...fields }: Record<string, unknown>): Promise<void> => {
    const body = {
      ...fields,
      vendor: region !== undefined || word.value === 'service' ? 'service' : 'provider',
      dialect: chosen?.word,
      region,
      budget_per_month: most && Number(most),
    };
    await ask('/accounts/add', { body });
    onAdded();
  };
  const byName = vendors.map(({ word: each, name, operations }) => {
    return [each, `${name}: ${operations.map(whatWords).join(', ')}`] as const;
  });
  const byRegion = regions.map((each) => [each.region, `Projects and people in ${each.region}`] as const);
  return (
    <Form says="Add it" sends={add}>
      <Select
        name="Vendor"
        value={word.value}
        options={[...OTHERS, ...byRegion, ...byName]}
        onChosen={(next) => (word.value = next)}
      />
      <div key={word.value}>
        <Field says="Your name for it" name="name" defaultValue={chosen?.word ?? ''} required />
        {region === undefined && (
          <Field
            says="Web address"
            name="base_url"
            type="url"
            placeholder="https://api.example.com"
            pattern="https://.+"
            title="It begins with https://"
            defaultValue={chosen?.address ?? ''}
            required
          />
        )}
        <Field says="Key" name="key" type="password" autocomplete="new-password" required />
        <p class="soft">As the vendor gave it to you. It is kept on this machine, and never shown.</p>
        <Field says="What a credit costs" name="price" placeholder="0.40 AUD" />
        <Field says="Never more than, in credits a month" name="budget_per_month" type="number" min={0} />
      </div>
    </Form>
  );
}

/** By what it is asked for; one that is left blank is not sent. */
const triedBy = (operation: string): readonly string[] => describedOperation(operation)?.tried ?? [];

const triable = ({ operations = [] }: AccountObject): readonly string[] =>
  operations.filter((name) => triedBy(name).length > 0);

/** A first purchase: one request, what came back, and what it cost. */
function OneTry({ account }: Pick<CardProps, 'account'>) {
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
          name="What to find"
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
