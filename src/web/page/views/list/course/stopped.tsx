import { useSignal } from '@preact/signals';
import { UNNAMED } from '../../../../../core/people.ts';
import { capital } from '../../../../../core/plain-text.ts';
import { countedElsewhere } from '../../../../../files/output/counted-elsewhere.ts';
import type {
  BatchList,
  BatchObject,
  BatchStatusObject,
  DoubtListObject,
  ListedBatch,
  PageWords,
  StopObject,
  WorkView,
} from '../../../../api.ts';
import { Act, Loaded, lazyPart } from '../../../parts/asking.tsx';
import { ButtonLink, Field, type Look, Notice, Popover } from '../../../parts/controls.tsx';
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
import { isUndoLeft } from '../head/undo-state.tsx';
import { isAnew, type OfScene, rowsMended, type Scene } from '../scene.ts';

const NewKey = lazyPart(async () => (await import('../../../parts/vendor.tsx')).NewKey, '');
const TestAccount = lazyPart(async () => (await import('../../../parts/vendor.tsx')).TestAccount, '');
const Answer = lazyPart(async () => (await import('./told.tsx')).Answer);

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
      <UndoStopped scene={scene} />
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

interface GoesOn extends Partial<Pick<Scene, 'work'>> {
  readonly batch?: Pick<BatchStatusObject, 'batch'> | undefined;
}

/** @param how a budget for all of it, or a person's answer to what stopped the work. */
async function goOn({ batch, work }: GoesOn, how?: object): Promise<void> {
  // Work begins once more where it had nothing yet to go on with.
  const goesOn = work?.batch === null ? undefined : batch?.batch;
  await ask('/tasks', { body: { work: work?.id, batch: goesOn, ...how } });
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

/** What takes it back has stopped. A stop that asks for something is told in its own view. */
function UndoStopped({ scene }: OfScene) {
  const undo = scene.batch?.undone_by;
  if (undo === undefined || !isUndoLeft(scene)) return null;
  return (
    <Notice says={`The undo was stopped. ${leftOver(undo.left)}`}>
      <ButtonLink to={`/files/${undo.batch}`} look="quiet" says="Result of the undo" />
      <Act look={goOnLook(scene)} says="Go on" does={() => goOn({ batch: undo })} />
    </Notice>
  );
}

/** The green button is that of the panel, where something else is chosen meanwhile. */
const isBeside = (scene: Scene): boolean => scene.list !== undefined && scene.isPlanning.value;
const goOnLook = (scene: Scene): Look => (isBeside(scene) ? undefined : 'go');

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

/** Blank where all rows have ended, and only their files are to be written. */
export const leftOver = (rows = 0): string => (rows === 0 ? '' : `${rowsLeftWords(rows)}.`);

const rowsLeftWords = (rows: number): string => counted(rows, 'row is left', 'rows are left');

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

interface DoubtsProps {
  readonly batch: BatchStatusObject;
  readonly row?: number;
}

/** Rows whose answers were lost: decided at once, with what each choice costs. */
export function Doubts({ batch, row }: DoubtsProps) {
  const of = { batch: batch.batch, row };
  return (
    <Loaded<DoubtListObject> path="/settle" body={of} again={JSON.stringify(batch.counts)}>
      {(list) => (list.in_doubt.length === 0 ? null : <Choices batch={batch} of={of} list={list} />)}
    </Loaded>
  );
}

function Choices({ batch, list, of }: DoubtsProps & { readonly list: DoubtListObject; readonly of: object }) {
  const { in_doubt: doubts, rows, at_risk: most, extra_used: used } = list;
  const settle = (decision: object): Promise<unknown> => ask('/settle', { body: { ...of, ...decision } });
  const retry = { retry: true, extra_credits: used + most };
  const { budget } = batch.credits;
  // What the button says that it costs is allowed beside what was.
  const again = (decision: object, more = 0): Promise<void> => {
    const limit = budget === null ? undefined : Math.max(budget, heldIn(batch.credits) + more);
    return settle(decision).then(() => goOn({ batch }, { part: true, budget: limit }));
  };
  const [first, ...others] = new Set(doubts.map((doubt) => doubt.row));
  const about = others.length === 0 ? { row: first } : {};
  return (
    <Notice says={doubtWords(list)}>
      <Act
        look="quiet"
        says={rows === 1 ? 'Leave it out' : 'Leave them out'}
        does={() => settle({ skip: true })}
      />
      <Popover name="What happened" says="I know the answer…" look="quiet">
        {(close) => (
          <Answer
            again={isOfTeam(doubts) ? 'Send it again' : againWords(doubts, most)}
            isOne={others.length === 0}
            changes={isOfTeam(doubts) ? doubts.map(({ operation }) => operation) : undefined}
            onTold={(answer) =>
              (answer ? settle({ ...about, answer }) : again({ not_done: true })).then(close)
            }
          />
        )}
      </Popover>
      <Act says={againWords(doubts, most)} does={() => again(retry, most)} />
    </Notice>
  );
}

type InDoubt = DoubtListObject['in_doubt'];

/** A change costs nothing, but may have been made. */
const isOfTeam = (doubts: InDoubt): boolean => doubts.every(({ subject }) => subject !== null);

function doubtWords({ in_doubt: doubts, rows, at_risk: most }: DoubtListObject): string {
  const [only] = doubts;
  if (doubts.length === 1 && rows === 1 && only && isOfTeam(doubts))
    return `${cameWords(doubts, ` for the ${changeWord(doubts)} of ${only.subject}`)} It may have been made or not.`;
  const questionWord = doubts.length === 1 ? 'it' : 'them';
  const each = cameWords(doubts, rows === 1 ? '' : ` for ${counted(rows, 'row')}`);
  const questions = counted(doubts.length, 'question');
  const shared = cameWords(doubts, ` to ${questions}; ${counted(rows, 'row')} wait for ${questionWord}`);
  const fact = rows > doubts.length ? shared : each;
  if (isOfTeam(doubts)) return `${fact} The change may have been made or not.`;
  return `${fact} ${doubts.length === 1 ? 'It' : 'They'} may have cost ${counted(most, 'credit')}${countedElsewhere(doubts)}.`;
}

/** An answer that says neither yes nor no came all the same, and has a status to ask about. */
function cameWords(doubts: InDoubt, about: string): string {
  const statuses = new Set(doubts.map(({ findings }) => statusIn(findings)));
  if (statuses.has(undefined)) return `No answer came${about}.`;
  return `What was answered${about} cannot be read as yes or no (status ${[...statuses].join(', ')}).`;
}

const statusIn = (findings: InDoubt[number]['findings']) =>
  findings.flatMap((each) => (each.code === 'answer' ? [each.facts.status] : []))[0];

function againWords(doubts: InDoubt, most: number): string {
  if (!isOfTeam(doubts)) return `Ask again (${counted(most, 'more credit')})`;
  const stakes = new Set(doubts.flatMap(({ at_stake: stake }) => stake ?? []));
  return `Send ${sentWords(doubts)} again${stakes.size === 0 ? '' : ` (${[...stakes].join(', ')})`}`;
}

/** `the invite`, `3 invites`: a name or an address would make the button wider than its place. */
const sentWords = (doubts: InDoubt): string =>
  doubts.length === 1 ? `the ${changeWord(doubts)}` : counted(doubts.length, changeWord(doubts));

function changeWord(doubts: InDoubt): string {
  const [first, ...others] = new Set(doubts.map(({ operation }) => operation));
  return (others.length === 0 && CHANGES[first ?? '']) || 'change';
}

const CHANGES: Readonly<Record<string, string>> = {
  'create-invite': 'invite',
  'update-user': 'role',
  'remove-user': 'removal',
};

/** `jo on mac-1`: who has paused a list or works on it. Of a person without a name it is the computer. */
function byWhom({ by }: Pick<BatchObject, 'by'>): string {
  if (by === undefined) return 'an unknown person';
  return by.operator === UNNAMED ? `the computer ${by.host}` : `${by.operator} on ${by.host}`;
}
