import { useSignal } from '@preact/signals';
import { Field, Label, Select } from '../../../parts/controls.tsx';
import { Form } from '../../../parts/form.tsx';

/** A word, and what it says of a request with a lost answer. */
type Outcome = readonly [word: string, says: string];

const TOLD: readonly Outcome[] = [
  ['not_done', 'It was not done, and cost nothing'],
  ['no_match', 'It was asked, and nothing was found'],
  ['found', 'It was answered, and I have the answer'],
];

const CHANGE_NOT_DONE: Outcome = ['not_done', 'It was not done'];

/** A change of one person or project, as a person sees it at the service. */
const CHANGES: Readonly<Record<string, readonly Outcome[]>> = {
  'create-invite': [
    ['invited', 'The invite is there'],
    ['accepted=true', 'They have access already'],
  ],
  'create-project': [['made', 'The project is there']],
};

const ANY_CHANGE: readonly Outcome[] = [['done=yes', 'It was done']];

interface AnswerProps {
  readonly again: string;
  readonly isOne: boolean;
  /** The operations of changes; undefined of lookups. */
  readonly changes: readonly string[] | undefined;
  onTold(answer: readonly string[] | undefined): Promise<unknown>;
}

/** What a person has seen in the vendor's history. The answer of one row of several is told beside the table. */
export function Answer({ again, isOne, changes, onTold }: AnswerProps) {
  const outcome = useSignal<string>('not_done');
  const tell = (typed: Readonly<Record<string, unknown>>): Promise<unknown> =>
    onTold(answerOf(outcome.value, typed));
  return (
    <Form says={outcome.value === 'not_done' ? `Confirm. ${again}` : 'Confirm'} sends={tell}>
      <Select
        name="What happened"
        value={outcome.value}
        options={outcomesOf({ isOne, changes })}
        onChosen={(word) => (outcome.value = word)}
      />
      {outcome.value === 'found' && (
        <Label says="The answer, one fact in each line, such as name = Acme">
          <textarea name="facts" rows={3} />
        </Label>
      )}
      {outcome.value === 'invited' && <Field says="Its code, where the service shows one" name="code" />}
      {outcome.value === 'made' && <Field says="Its id at the service" name="id" required />}
    </Form>
  );
}

function outcomesOf({ isOne, changes }: Pick<AnswerProps, 'isOne' | 'changes'>): readonly Outcome[] {
  if (changes === undefined) return isOne ? TOLD : TOLD.slice(0, 2);
  return isOne ? [CHANGE_NOT_DONE, ...(CHANGES[changes[0] ?? ''] ?? ANY_CHANGE)] : [CHANGE_NOT_DONE];
}

/** What was answered, in the words of `settle --answer`; undefined where nothing was done. */
function answerOf(
  outcome: string,
  { facts = '', code, id }: Readonly<Record<string, unknown>>,
): readonly string[] | undefined {
  switch (outcome) {
    case 'not_done':
      return undefined;
    case 'found':
      return (String(facts).match(/^.*=.*$/gm) ?? []).map((line) => line.replace(/\s*=\s*/, '=').trim());
    case 'invited':
      return [code === undefined ? 'accepted=false' : `invite_code=${code}`];
    case 'made':
      return [`project_id=${id}`];
    default:
      return [outcome];
  }
}
