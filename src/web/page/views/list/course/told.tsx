import { useSignal } from '@preact/signals';
import { Label, Select } from '../../../parts/controls.tsx';
import { Form } from '../../../parts/form.tsx';

const TOLD = [
  ['not_done', 'It was not done, and cost nothing'],
  ['no_match', 'It was asked, and nothing was found'],
  ['found', 'It was answered, and I have the answer'],
] as const;

interface AnswerProps {
  readonly again: string;
  readonly isOne: boolean;
  onTold(answer: readonly string[] | undefined): Promise<unknown>;
}

/** What a person has seen in the vendor's history. The answer of one row of several is told beside the table. */
export function Answer({ again, isOne, onTold }: AnswerProps) {
  const outcome = useSignal<string>('not_done');
  const tell = ({ facts = '' }: Readonly<Record<string, unknown>>): Promise<unknown> => {
    if (outcome.value !== 'found') return onTold(outcome.value === 'no_match' ? ['no_match'] : undefined);
    const factLines = String(facts).match(/^.*=.*$/gm) ?? [];
    return onTold(factLines.map((line) => line.replace(/\s*=\s*/, '=').trim()));
  };
  return (
    <Form says={outcome.value === 'not_done' ? `Confirm. ${again}` : 'Confirm'} sends={tell}>
      <Select
        name="What happened"
        value={outcome.value}
        options={isOne ? TOLD : TOLD.slice(0, 2)}
        onChosen={(word) => (outcome.value = word)}
      />
      {outcome.value === 'found' && (
        <Label says="The answer, one fact in each line, such as name = Acme">
          <textarea name="facts" rows={3} />
        </Label>
      )}
    </Form>
  );
}
