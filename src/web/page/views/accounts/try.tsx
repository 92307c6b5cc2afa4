import { useSignal } from '@preact/signals';
import type { AccountObject, TrialObject, WorkAnswer } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { untilEnded, useAction } from '../../parts/action.ts';
import { Button, Field, Select, typedIn } from '../../parts/controls.tsx';
import { spentWords } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { whatWords } from '../list/words.ts';

type Asked = readonly [input: string, name: string];

const PERSON: readonly Asked[] = [
  ['full_name', 'Name'],
  ['domain', 'Website of the company'],
];

/** By what each is asked for; one that is left blank is not sent. */
const FIELDS: Readonly<Record<string, readonly Asked[]>> = {
  'enrich-company': [
    ['domain', 'Website'],
    ['abn', 'ABN'],
  ],
  'enrich-person': [
    ['email', 'E-mail'],
    ['profile_url', 'Profile'],
  ],
  'find-email': PERSON,
  'find-phone': PERSON,
  'check-email': [['email', 'E-mail']],
};

export const triable = ({ operations = [] }: AccountObject): readonly string[] =>
  operations.filter((name) => name in FIELDS);

interface OneTryProps {
  readonly account: AccountObject;
  /** It may have been paid for. */
  onTried(): void;
}

/** A first purchase: one request, what came back, and what it cost. */
export function OneTry({ account, onTried }: OneTryProps) {
  const names = triable(account);
  const job = useSignal(names[0] ?? '');
  const trial = useSignal<TrialObject | undefined>(undefined);
  const action = useAction();
  const send = (event: SubmitEvent): void => {
    const { budget, ...given } = typedIn(event);
    trial.value = undefined;
    action.run(async () => {
      const body = { job: job.value, account: account.name, given, budget: Number(budget) };
      const { work } = await ask<WorkAnswer>('/try', { body });
      trial.value = await untilEnded<TrialObject>(work.id);
      onTried();
    });
  };
  return (
    <form onSubmit={send} autocomplete="off">
      <Select
        name="What to find"
        value={job.value}
        options={names.map((name) => [name, whatWords(name)] as const)}
        onChosen={(next) => (job.value = next)}
      />
      {(FIELDS[job.value] ?? []).map(([input, name]) => (
        <Field key={input} says={name} name={input} />
      ))}
      <Field
        says="Never more than, in credits"
        name="budget"
        class="n"
        type="number"
        min="0"
        defaultValue="1"
        required
      />
      <Button
        type="submit"
        look="go"
        disabled={action.isBusy.value}
        says={action.isBusy.value ? 'Asking…' : 'Ask for this one'}
      />
      <RefusedNotice refused={action.refused.value} />
      <div role="status">{trial.value && <Tried trial={trial.value} />}</div>
    </form>
  );
}

const ANSWERS: Readonly<Record<string, string>> = {
  found: 'Found.',
  no_match: 'Nothing was found.',
  refused: 'The vendor refused it.',
  in_doubt: 'No answer came.',
};

function Tried({ trial: { request, reply, answer, credits, source } }: { readonly trial: TrialObject }) {
  const cost =
    source === 'ledger' ? 'It was known, and cost nothing now.' : `Credits: ${spentWords(credits)}.`;
  return (
    <>
      <p>
        <strong>{ANSWERS[answer ?? ''] ?? 'There is no answer yet.'}</strong> {cost}
      </p>
      <h3>What was sent</h3>
      <pre>
        {request.method} {request.url}
        {request.body === undefined ? '' : `\n${request.body}`}
      </pre>
      {reply !== null && (
        <>
          <h3>What came back</h3>
          <pre>{bodyOf(reply.body)}</pre>
        </>
      )}
    </>
  );
}

/** An answer in lines, where it is one of data. */
function bodyOf(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
