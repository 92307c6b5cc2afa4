import { useSignal } from '@preact/signals';
import type { BatchList, BatchObject, BatchStatusObject, StopObject, WorkView } from '../../../api.ts';
import { forPage, Loaded } from '../../loaded.tsx';
import { Act, Form } from '../../parts/act.tsx';
import { Button, ButtonLink, Field } from '../../parts/controls.tsx';
import { allRows, counted, fileName, grouped, percent, when } from '../../parts/figures.ts';
import { Stop } from '../../parts/stop.tsx';
import { ask, beat } from '../../session.ts';
import { NewKey, TestAccount } from '../accounts/key.tsx';
import type { Scene } from './scene.ts';
import { byWhom, isLeft, rowsLeft } from './words.ts';

type Code = StopObject['code'];

export type Told = { readonly code: Code } & Partial<StopObject>;

// ------------------------------------------------------------------------------ a fact, and what leads on

/** What is so, where she is told more than the server says; `ACCOUNT` stands for the name of the account. */
const FACTS: Readonly<Partial<Record<Code, string>>> = {
  key: 'The vendor does not take the key of ACCOUNT any more. Nothing was lost.',
  vendor_credits: 'The account ACCOUNT has no credits left at the vendor. Nothing was lost.',
  account_budget: 'The account ACCOUNT has used what it may spend in this day or month.',
  share: 'What this list may spend at the account ACCOUNT is used.',
  dearer: 'An answer cost more than was known. It is kept, and the next ones are reckoned at that price.',
  extra_credits: 'Asking again costs more than you allowed for it.',
  interrupted: 'It was stopped.',
  terminated: 'It was stopped.',
  busy: 'Another list is being worked on in a terminal, so this one could not begin.',
  address: 'Many answers in a row look wrong.',
  doubts: 'Many answers in a row came whole, and nobody can read them. Each may have been charged.',
  moved: 'An account of this name was at another address before.',
  guard: 'It would go further than you have allowed.',
  plan: 'It would do something else by now than what was shown. Nothing was sent.',
  consent: 'Nobody has agreed to it yet.',
  input: 'The list cannot be worked on as it is.',
  job: 'It could not begin.',
  usage: 'It could not begin.',
};

/** It was refused before it began, so that it is chosen and planned anew. */
const ANEW: readonly Code[] = ['guard', 'plan', 'consent', 'input', 'job', 'usage'];

/** What the server says of these, such as the answer or the row, follows the fact. */
const DETAILED: readonly Code[] = ['address', 'doubts', 'moved', ...ANEW];

const OF_ACCOUNT: readonly Code[] = [
  ...(['vendor_credits', 'account_budget', 'share', 'account', 'key'] as const),
  ...(['address', 'doubts', 'moved'] as const),
];

/** The word on the button that goes on. */
const BUTTONS: Readonly<Partial<Record<Code, string>>> = {
  vendor_credits: 'I have bought more: go on',
  paused: 'Try now',
  later: 'Ask for the answers now',
  dearer: 'Go on at that price',
  busy: 'Try again',
};

/** Her answers to what stopped it. */
const ANSWERS: Readonly<Record<string, string>> = {
  refused: 'They are right: leave such rows out',
  'no-match': 'They mean that nothing was found',
  'same-answers': 'They are right: keep them',
  doubts: 'Go on without them',
  'same-account': 'It is the same account',
  'new-account': 'It is another account',
  store: 'Go on with what is known here',
};

/** @param how a budget for all of it, or the word with which a person has answered what stopped it. */
export async function goOn(
  { batch, work }: Pick<Scene, 'batch'> & Partial<Pick<Scene, 'work'>>,
  how: { readonly budget?: number; readonly accept?: string } = {},
): Promise<void> {
  // Work begins once more where it had nothing yet to go on with.
  const what = work?.batch === null ? { work: work.id } : { batch: batch?.batch };
  await ask('/tasks', { body: { ...what, ...how } });
}

interface StoppedProps {
  readonly scene: Scene;
  readonly stopped: Told;
}

export function Stopped({ scene, stopped }: StoppedProps) {
  const { batch } = scene;
  const { code, account = batch?.account ?? '' } = stopped;
  const isSeen = useSignal(false);
  if (isSeen.value) return null;
  if (code === 'budget' && isLeft(batch)) return <OverBudget batch={batch} />;
  const lookAgain = (): void => {
    isSeen.value = true;
    scene.isPlanning.value = true;
    scene.refresh();
  };
  const isAnew = ANEW.includes(code);
  const answers = (code !== 'plan' && stopped.answers) || [];
  return (
    <Stop says={`${factOf(scene, stopped, account)} ${isLeft(batch) ? `${left(batch)}.` : ''}`}>
      {code === 'key' && (
        <>
          <NewKey name={account} says="Take it and go on" onSaved={() => goOn(scene)} />
          <TestAccount name={account} />
        </>
      )}
      {answers.map((accept) => (
        <Act key={accept} says={ANSWERS[accept] ?? 'Allow it'} does={() => goOn(scene, { accept })} />
      ))}
      {answers.length === 0 && !isAnew && (
        <Act
          look={code === 'key' ? undefined : 'go'}
          says={BUTTONS[code] ?? 'Go on'}
          does={() => goOn(scene)}
        />
      )}
      {answers.length === 0 && isAnew && scene.list && (
        <Button look="go" says="Look at it again" onClick={lookAgain} />
      )}
      {OF_ACCOUNT.includes(code) && <ButtonLink to="/accounts" says="Look at the accounts" />}
    </Stop>
  );
}

function factOf({ batch }: Scene, { code, message = '', ...told }: Told, account: string): string {
  const isLeftOpen = code === 'terminated' || code === 'paused';
  if (isLeftOpen && batch?.held_since !== undefined) return `It was paused by ${byWhom(batch)}.`;
  const fact = FACTS[code]?.replace('ACCOUNT', account);
  if (fact !== undefined) return DETAILED.includes(code) ? `${fact} ${forPage(message)}` : fact;
  return `${forPage(message) || 'It was stopped.'} ${forPage(told.next ?? '')} ${timeWords(told)}`;
}

const timeWords = ({ resume_at: at }: Partial<StopObject>): string => (at ? `It can go on ${when(at)}.` : '');

const left = (batch: BatchStatusObject): string =>
  `${counted(rowsLeft(batch), 'row')} ${rowsLeft(batch) === 1 ? 'is' : 'are'} left`;

function OverBudget({ batch }: { readonly batch: BatchStatusObject }) {
  const { credits, budget_to_finish: enough = credits.budget ?? 0 } = batch;
  const used =
    credits.budget === null
      ? 'No limit was named'
      : `The ${counted(credits.budget, 'credit')} that you allowed ${credits.budget === 1 ? 'is' : 'are'} used`;
  const more = enough - (credits.budget ?? 0);
  const cost = rowsLeft(batch) === 1 ? 'it costs' : 'they cost';
  return (
    <Stop says={`${used}. ${left(batch)}; ${cost} at most ${grouped(more)} more.`}>
      <Form look="row" says="Go on" sends={({ most }) => goOn({ batch }, { budget: Number(most) })}>
        <Field says="Never more than" name="most" type="number" min={0} defaultValue={enough} required />
      </Form>
    </Stop>
  );
}

// ------------------------------------------------------------------------------------------ who is before

/** Another list is worked on in the same store, on this page or in a terminal, and this one comes after it. */
export function InLine({ work }: { readonly work: WorkView }) {
  return (
    <Loaded<BatchList> path="/batches" again={beat.value}>
      {({ batches }) => {
        const other = batches.find(({ running }) => running);
        if (other === undefined) return null;
        return (
          <Stop says={`${workedOn(other)} Yours comes next.`}>
            <Act says="Do not start it" does={() => ask(`/tasks/${work.id}/stop`, { method: 'POST' })} />
          </Stop>
        );
      }}
    </Loaded>
  );
}

function workedOn(other: BatchObject): string {
  const done = Object.values(other.counts).reduce((sum, count) => sum + count, 0);
  const part = percent(done, allRows(other));
  return `“${fileName(other.input)}” is being worked on by ${byWhom(other)}, ${part} done.`;
}
