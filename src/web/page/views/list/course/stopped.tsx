import { useSignal } from '@preact/signals';
import { UNNAMED } from '../../../../../core/people.ts';
import { capital } from '../../../../../core/plain-text.ts';
import type {
  BatchList,
  BatchObject,
  BatchStatusObject,
  ListedBatch,
  PageWords,
  StopObject,
  WorkView,
} from '../../../../api.ts';
import { Act, Loaded, lazyPart } from '../../../parts/asking.tsx';
import { ButtonLink, Field, Notice } from '../../../parts/controls.tsx';
import {
  counted,
  dayAndTime,
  doneWords,
  fileName,
  grouped,
  heldIn,
  isLeft,
  rowsLeft,
} from '../../../parts/figures.ts';
import { Form } from '../../../parts/form.tsx';
import { ask, beat, showActed } from '../../../session.ts';
import { isAnew, type OfScene, rowsMended, type Scene } from '../scene.ts';
import { goOn, goOnLook, isBeside, leftOver, rowsLeftWords } from './go-on.ts';

const NewKey = lazyPart(async () => (await import('../../../parts/vendor.tsx')).NewKey, '');
const TestAccount = lazyPart(async () => (await import('../../../parts/vendor.tsx')).TestAccount, '');
const Doubts = lazyPart(async () => (await import('./doubts.tsx')).Doubts, '');
const UndoStopped = lazyPart(async () => (await import('../head/undo-state.tsx')).UndoStopped, '');

/** `part`: the rows that she chose are done, and the others were not asked for. */
type Code = StopObject['code'] | 'part';

/** `page` is left out where no work of this page has stopped the list, which has rows left. */
type Told = { readonly code: Code; readonly page?: PageWords } & Partial<Omit<StopObject, 'code'>>;

/** Whatever stops the list or waits, each in one sentence with the button that goes on. */
export function Standing({ scene }: OfScene) {
  const { batch, work, undoing, isRunning } = scene;
  const stopped = stoppedOf(scene);
  const isAtWork = batch?.running || batch?.undone_by?.running;
  const inLine = isAtWork ? undefined : [work, undoing].find((each) => each && each.state !== 'ended');
  return (
    <>
      {inLine && <InLine work={inLine} />}
      {stopped && <Stopped key={work?.id} scene={scene} stopped={stopped} />}
      {batch?.undone_by && <UndoStopped scene={scene} />}
      {batch && !isRunning && (batch.counts.in_doubt ?? 0) > 0 && <Doubts batch={batch} />}
    </>
  );
}

/** In the words of the page's own work, else as the list stands: it was stopped in a terminal, or before. */
function stoppedOf({ batch, work, isRunning, tried }: Scene): Told | undefined {
  if (isRunning || work?.state === 'waiting') return undefined;
  const isOfBatch = work?.batch === batch?.batch || work?.batch === null;
  const isOpen = work?.batch === null || isLeft(batch);
  if (work?.stopped && isOfBatch && isOpen) return work.stopped;
  // After a try, the rest is started beside the table.
  if (!isLeft(batch) || tried !== undefined) return undefined;
  if (batch.part_done) return { code: 'part' };
  return { code: batch.budget_to_finish === undefined ? 'terminated' : 'budget' };
}

const wordsOf = ({ code, page }: Told): PageWords =>
  page ?? {
    fact: standsWords(code),
    message_follows: false,
    is_planned_anew: false,
    leads_to_the_accounts: false,
    goes_on: code === 'part' ? 'Go on with the others' : 'Go on',
  };

function standsWords(code: Code): string {
  if (code === 'part') return 'The rows that you chose are done.';
  return code === 'budget' ? 'The budget that you allowed is used.' : 'The list was stopped.';
}

function Stopped({ scene, stopped }: OfScene & { readonly stopped: Told }) {
  const { batch } = scene;
  const { code, account = batch?.account ?? '' } = stopped;
  const words = wordsOf(stopped);
  const isSeen = useSignal(false);
  if (isSeen.value) return null;
  const isOfBefore = asksBefore(scene);
  const isKey = code === 'key';
  if (code === 'budget' && isLeft(batch) && !isOfBefore)
    return <OverBudget batch={batch} isBeside={isBeside(scene)} />;
  const lookAgain = async (): Promise<void> => {
    isSeen.value = true;
    scene.isPlanning.value = true;
    showActed();
  };
  const isToPlan = isOfBefore || words.is_planned_anew || (code === 'part' && scene.list !== undefined);
  const does = isToPlan ? lookAgain : () => goOn(scene);
  const choices = (!isOfBefore && stopped.choices) || [];
  return (
    <Notice says={`${factOf(scene, stopped, account)} ${leftWords(batch)}`}>
      {words.leads_to_the_accounts && <ButtonLink to="/accounts" look="quiet" says="Look at the accounts" />}
      {isKey && <TestAccount name={account} look="quiet" />}
      <Answers scene={scene} choices={choices} />
      {choices.length === 0 && (scene.list || !isToPlan) && (
        <Act look={isKey ? 'quiet' : goOnLook(scene)} says={goOnWords(words, isOfBefore)} does={does} />
      )}
      {isKey && (
        <NewKey
          look="line"
          isBeside={isBeside(scene)}
          name={account}
          says="Take it and go on"
          onSaved={does}
        />
      )}
    </Notice>
  );
}

interface AnswersProps extends OfScene {
  readonly choices: NonNullable<Told['choices']>;
}

/** What she can say to what stopped it; the first answer is the likeliest, and framed. */
const Answers = ({ scene, choices }: AnswersProps) =>
  choices
    .toReversed()
    .map(({ says, ...answer }, at) => (
      <Act
        key={says}
        look={at === choices.length - 1 ? undefined : 'quiet'}
        says={capital(says)}
        does={() => goOn(scene, { answer })}
      />
    ));

/** What goes on asks the cells as they were: one that she has changed since would be paid for twice. */
const asksBefore = (scene: Scene): boolean =>
  scene.batch !== undefined && (isAnew(scene) || rowsMended(scene) > 0);

const goOnWords = ({ goes_on: says }: PageWords, isOfBefore: boolean): string =>
  isOfBefore ? 'Go on with the list as it is now' : says;

function factOf({ batch }: Scene, stopped: Told, account: string): string {
  const { code, resume_at: at } = stopped;
  const { message = 'The list was stopped.', next = '' } = stopped.on_page ?? stopped;
  const isLeftOpen = code === 'terminated' || code === 'paused';
  if (isLeftOpen && batch?.held_since !== undefined) return `It was paused by ${byWhom(batch)}.`;
  const { fact, message_follows: more } = wordsOf(stopped);
  if (isLeftOpen && batch && batch.undoes !== null) return 'The undo was stopped.';
  if (fact !== undefined) return fact.replace('ACCOUNT', account) + (more ? ` ${message}` : '');
  const until = at ? `It can go on ${dayAndTime(at)}.` : '';
  return `${message} ${next} ${until}`;
}

const leftWords = (batch: Scene['batch']): string => (isLeft(batch) ? leftOver(rowsLeft(batch)) : '');

/** Allows so many credits more: what she allowed before, and no row that she has not looked at. */
function OverBudget({ batch, isBeside }: { readonly batch: BatchStatusObject; readonly isBeside: boolean }) {
  const { credits, budget_to_finish: enough = credits.budget ?? 0 } = batch;
  const before = credits.budget ?? 0;
  const held = heldIn(credits);
  const allowed = `${counted(before, 'credit')} that you allowed`;
  const used =
    credits.budget === null
      ? 'No limit was named'
      : held < before
        ? `${grouped(held)} of the ${allowed} are used, and the next row may cost more than the rest`
        : `The ${allowed} ${before === 1 ? 'is' : 'are'} used`;
  const most = enough - before;
  // With less than one row may cost, nothing could be bought.
  const oneRow = held + Math.ceil((enough - held) / Math.max(1, rowsLeft(batch))) - before;
  const cost = rowsLeft(batch) === 1 ? 'it costs' : 'they cost';
  return (
    <Notice
      says={`${used}. ${rowsLeftWords(rowsLeft(batch))}; ${cost} at most ${counted(most, 'credit')} more.`}
    >
      <Form
        look="line"
        isBeside={isBeside}
        says="Go on"
        sends={({ more }) => goOn({ batch }, { budget: before + Number(more) })}
      >
        <Field
          says={`Credits more (${grouped(most)} finish it)`}
          inline
          name="more"
          type="number"
          min={0}
          defaultValue={Math.min(most, Math.max(1, oneRow, Math.round(before / 4)))}
          required
        />
      </Form>
    </Notice>
  );
}

/**
 * Another list is worked on in the same store, here or in a terminal, and this one comes after it. The work
 * may have begun since the page asked: no list waits for itself.
 */
function InLine({ work }: { readonly work: WorkView }) {
  const isOwn = ({ list, batch, undoes }: ListedBatch): boolean =>
    [list, batch, ...(work.is_undo ? [undoes] : [])].includes(work.about);
  return (
    <Loaded<BatchList> path="/batches" again={beat.value}>
      {({ batches }) => {
        const other = batches.find((each) => each.running && !isOwn(each));
        if (other === undefined) return null;
        const who = `“${fileName(other.input)}” is being worked on by ${byWhom(other)}`;
        return (
          <Notice calm says={`${who}, ${doneWords(other)} done. Yours comes next.`}>
            <Act says="Do not start it" does={() => ask(`/tasks/${work.id}/stop`, { method: 'POST' })} />
          </Notice>
        );
      }}
    </Loaded>
  );
}

/** `jo on mac-1`: who has paused a list or works on it. Of a person without a name it is the computer. */
function byWhom({ by }: Pick<BatchObject, 'by'>): string {
  if (by === undefined) return 'an unknown person';
  return by.operator === UNNAMED ? `the computer ${by.host}` : `${by.operator} on ${by.host}`;
}
