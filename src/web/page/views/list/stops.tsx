import { useSignal } from '@preact/signals';
import type {
  AccountTest,
  BatchList,
  BatchObject,
  BatchStatusObject,
  StopObject,
  WorkView,
} from '../../../api.ts';
import { forPage, Loaded } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { Button, ButtonLink } from '../../parts/controls.tsx';
import { allRows, counted, fileName, grouped, percent } from '../../parts/figures.ts';
import { Stop } from '../../parts/stop.tsx';
import { ask, beat, look } from '../../session.ts';
import { Doubts } from './doubts.tsx';
import { useGoingOn } from './going-on.ts';
import type { Scene } from './scene.ts';
import { type Code, clock, isLeft, rowsLeft } from './words.ts';

/** Whatever stops the list or may surprise her, each in one sentence with the button that mends it. */
export function Stops({ scene }: { readonly scene: Scene }) {
  const { batch, work, isRunning } = scene;
  const stopped = stoppedOf(scene);
  return (
    <>
      {work !== undefined && work.state !== 'ended' && !batch?.running && <InLine work={work} />}
      {stopped && <Stopped key={work?.id} scene={scene} stopped={stopped} />}
      {batch && !isRunning && (batch.counts.in_doubt ?? 0) > 0 && <Doubts batch={batch} />}
      {batch?.sandbox && batch.changes === undefined && batch.settled > 0 && (
        <Stop
          says={
            <>
              These answers are <b>invented</b>: it is play money. To find what is real, add your account.
            </>
          }
        >
          <ButtonLink to="/accounts" says="Add an account" />
        </Stop>
      )}
    </>
  );
}

/**
 * Why it stopped: in the words of the page's own work, or as the list itself stands where it was stopped in
 * a terminal or before the page was started.
 */
function stoppedOf({
  batch,
  work,
  isRunning,
  tried,
}: Scene): Pick<StopObject, 'code' | 'message' | 'next' | 'answers'> | undefined {
  if (isRunning || work?.state === 'waiting') return undefined;
  const isOfBatch = work?.batch === batch?.batch || work?.batch === null;
  const isOpen = work?.batch === null || isLeft(batch);
  if (work?.stopped && isOfBatch && isOpen) return work.stopped;
  // After a try, the rest is started beside the table.
  if (!isLeft(batch) || tried !== undefined) return undefined;
  const code = batch.budget_to_finish === undefined ? 'terminated' : 'budget';
  return { code, message: '', next: '' };
}

interface Told {
  readonly scene: Scene;
  readonly stopped: Pick<StopObject, 'code' | 'message' | 'next' | 'answers'> &
    Partial<Pick<StopObject, 'resume_at'>>;
}

function Stopped({ scene, stopped }: Told) {
  const { batch } = scene;
  if (stopped.code === 'budget' && isLeft(batch)) return <OverBudget batch={batch} />;
  if (stopped.code === 'key' && isLeft(batch)) return <DeadKey batch={batch} />;
  return <InWords scene={scene} stopped={stopped} />;
}

// ------------------------------------------------------------------------------------------------- money

interface OfBatch {
  readonly batch: BatchStatusObject;
}

function OverBudget({ batch }: OfBatch) {
  const { credits, budget_to_finish: enough = credits.budget ?? 0 } = batch;
  const most = useSignal(enough);
  const going = useGoingOn(batch);
  const used =
    credits.budget === null
      ? 'No limit was named'
      : `The ${counted(credits.budget, 'credit')} that you allowed ${credits.budget === 1 ? 'is' : 'are'} used`;
  const more = enough - (credits.budget ?? 0);
  const cost = rowsLeft(batch) === 1 ? 'it costs' : 'they cost';
  return (
    <Stop says={`${used}. ${left(batch)}; ${cost} at most ${grouped(more)} more.`} action={going}>
      <label>
        Never more than{' '}
        <input
          class="n"
          type="number"
          min={0}
          value={most.value}
          onInput={({ currentTarget }) => (most.value = Number(currentTarget.value))}
        />
      </label>
      <Button
        look="go"
        says="Go on"
        disabled={going.isBusy.value}
        onClick={() => going.go({ budget: most.value })}
      />
    </Stop>
  );
}

const left = (batch: BatchStatusObject): string =>
  `${counted(rowsLeft(batch), 'row')} ${rowsLeft(batch) === 1 ? 'is' : 'are'} left`;

// --------------------------------------------------------------------------------------------------- key

function DeadKey({ batch }: OfBatch) {
  const name = batch.account;
  const key = useSignal('');
  const tested = useSignal('');
  const going = useGoingOn(batch);
  const testing = useAction();
  const change = (): void =>
    going.go({}, () => ask('/accounts/add', { body: { name, key: key.value }, isLook: true }));
  const test = (): void =>
    testing.run(async () => {
      const { accounts } = await look<{ accounts: readonly AccountTest[] }>('accounts/test', { name });
      tested.value = accounts[0]?.key_tried
        ? 'The vendor takes the key.'
        : 'The vendor cannot be asked free of charge.';
    });
  return (
    <Stop
      says={
        <>
          The vendor does not take the key of <b>{name}</b> any more. Nothing was lost; {left(batch)}.{' '}
          {tested.value}
        </>
      }
      action={testing.refused.value ? testing : going}
    >
      <label>
        Another key{' '}
        <input
          type="password"
          autocomplete="off"
          onInput={({ currentTarget }) => (key.value = currentTarget.value.trim())}
        />
      </label>
      <Button
        look="go"
        says="Take it and go on"
        disabled={going.isBusy.value || key.value === ''}
        onClick={change}
      />
      <Button says="Test it" disabled={testing.isBusy.value} onClick={test} />
      <Button says="Go on" disabled={going.isBusy.value} onClick={() => going.go()} />
    </Stop>
  );
}

// ------------------------------------------------------------------------------ a fact, and what leads on

/** What is so, where she is told more than the server says; `ACCOUNT` stands for the name of the account. */
const FACTS: Readonly<Partial<Record<Code, string>>> = {
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

/** The server has the details. */
const WITH_DETAILS: readonly Code[] = ['address', 'doubts', 'moved', ...ANEW];

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

function InWords({ scene, stopped }: Told) {
  const { batch, work } = scene;
  const { code } = stopped;
  const going = useGoingOn(batch, work);
  const isSeen = useSignal(false);
  if (isSeen.value) return null;
  const lookAgain = (): void => {
    isSeen.value = true;
    scene.isPlanning.value = true;
    scene.refresh();
  };
  const isAnew = ANEW.includes(code);
  const answers = (code !== 'plan' && stopped.answers) || [];
  return (
    <Stop says={`${factOf(stopped, batch)} ${isLeft(batch) ? `${left(batch)}.` : ''}`} action={going}>
      {answers.map((accept) => (
        <Button
          key={accept}
          says={ANSWERS[accept] ?? 'Allow it'}
          disabled={going.isBusy.value}
          onClick={() => going.go({ accept })}
        />
      ))}
      {answers.length === 0 && !isAnew && (
        <Button
          look="go"
          says={BUTTONS[code] ?? 'Go on'}
          disabled={going.isBusy.value}
          onClick={() => going.go()}
        />
      )}
      {answers.length === 0 && isAnew && scene.list && (
        <Button look="go" says="Look at it again" onClick={lookAgain} />
      )}
      {OF_ACCOUNT.includes(code) && <ButtonLink to="/accounts" says="Look at the accounts" />}
    </Stop>
  );
}

function factOf({ code, message, next, resume_at: at }: Told['stopped'], batch: Scene['batch']): string {
  if (code === 'terminated' && batch?.held_since !== undefined) return 'It is paused.';
  const fact = FACTS[code]?.replace('ACCOUNT', batch?.account ?? '');
  const time = at ? ` It makes sense to go on at ${clock(at)}.` : '';
  if (fact === undefined) return `${forPage(message) || 'It was stopped.'} ${forPage(next)}${time}`;
  return WITH_DETAILS.includes(code) ? `${fact} ${forPage(message)}` : fact;
}

// ------------------------------------------------------------------------------------------ who is before

/** Another list is worked on in the same store, on this page or in a terminal, and this one comes after it. */
function InLine({ work }: { readonly work: WorkView }) {
  const action = useAction();
  const leave = (): void => action.run(() => ask(`/tasks/${work.id}/stop`, { method: 'POST' }));
  return (
    <Loaded<BatchList> path="/batches" again={beat.value}>
      {({ batches }) => {
        const other = batches.find(({ running }) => running);
        if (other === undefined) return null;
        return (
          <Stop says={`${workedOn(other)} Yours comes next.`} action={action}>
            <Button says="Do not start it" disabled={action.isBusy.value} onClick={leave} />
          </Stop>
        );
      }}
    </Loaded>
  );
}

function workedOn(other: BatchObject): string {
  const done = Object.values(other.counts).reduce((sum, count) => sum + count, 0);
  return `“${fileName(other.input)}” is being worked on, ${percent(done, allRows(other))} done.`;
}
