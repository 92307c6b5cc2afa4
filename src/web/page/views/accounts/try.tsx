import { useSignal } from '@preact/signals';
import { capital, inputWords, whatWords } from '../../../../files/output/summary-words.ts';
import type { AccountObject, TrialObject, WorkAnswer } from '../../../api.ts';
import { Form } from '../../parts/act.tsx';
import { untilEnded } from '../../parts/action.ts';
import { Field, Select } from '../../parts/controls.tsx';
import { spentWords } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { ANSWERS, rawAnswer } from '../list/row-words.ts';

const PERSON = ['full_name', 'domain'];

/** By what each is asked for; one that is left blank is not sent. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'enrich-company': ['domain', 'abn'],
  'enrich-person': ['email', 'profile_url'],
  'find-email': PERSON,
  'find-phone': PERSON,
  'check-email': ['email'],
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
  const send = async ({ budget, ...given }: Record<string, unknown>): Promise<void> => {
    trial.value = undefined;
    const body = { job: job.value, account: account.name, given, budget: Number(budget) };
    const { work } = await ask<WorkAnswer>('/try', { body });
    trial.value = await untilEnded<TrialObject>(work.id);
    onTried();
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
        {FIELDS[job.value]?.map((input) => (
          <Field key={input} says={capital(inputWords(input))} name={input} />
        ))}
        <Field
          says="Never more than, in credits"
          name="budget"
          type="number"
          min="0"
          defaultValue="1"
          required
        />
      </Form>
      <div role="status">{trial.value && <Tried trial={trial.value} />}</div>
    </>
  );
}

function Tried({ trial: { request, reply, answer, credits, source } }: { readonly trial: TrialObject }) {
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
