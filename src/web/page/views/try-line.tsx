import { useSignal } from '@preact/signals';
import type { TrialObject, WorkAnswer } from '../../api.ts';
import { Act, Form, untilEnded } from '../parts/asking.tsx';
import { Field, Sentences } from '../parts/controls.tsx';
import { spentWords } from '../parts/figures.ts';
import { rawAnswer } from '../parts/vendor.tsx';
import { ask, showActed } from '../session.ts';

const tried = async (body: object): Promise<TrialObject> => {
  const { work } = await ask<WorkAnswer>('/try', { body });
  return untilEnded<TrialObject>(work.id);
};

/** A vendor that nobody has described: a line of its page, and two answers. */
export function TryLine({ onAdded }: { onAdded(): void }) {
  const sent = useSignal<object>({});
  const answers = useSignal<TrialObject | undefined>(undefined);
  const send = async ({ budget, ...fields }: Record<string, unknown>): Promise<void> => {
    sent.value = { ...fields, budget: Number(budget) };
    answers.value = undefined;
    answers.value = await tried(sent.value);
  };
  const write = async (): Promise<void> => {
    await tried({ ...sent.value, write: true });
    onAdded();
    showActed();
  };
  return (
    <>
      <Form says="Ask for both" sends={send}>
        <p class="soft">
          The vendor is asked twice: for the name in the line, and for one that we have invented.
        </p>
        <label>
          A line of curl, as the vendor's page shows it
          <textarea name="job" rows={5} spellcheck={false} required />
        </label>
        <Field says="Your name for it" name="account" required />
        <Field says="Key" name="key" type="password" autocomplete="new-password" />
        <Field
          says="Never more credits than, for both"
          name="budget"
          type="number"
          min={0}
          defaultValue="2"
          required
        />
      </Form>
      <div role="status">{answers.value && <Both {...answers.value} onRight={write} />}</div>
    </>
  );
}

function Both({ reply, beside, proposal, credits, onRight }: TrialObject & { onRight(): Promise<void> }) {
  const places = proposal?.places ?? [];
  const values = places.map(({ value }) => value);
  return (
    <>
      <div class="two">
        <Answer says="For the name in the line" text={answerWords(reply)} lit={values} />
        <Answer
          says="For the invented one"
          text={beside ? answerWords(beside.reply) : 'It was not asked for.'}
          lit={[]}
        />
      </div>
      <p>Credits: {spentWords(credits)}.</p>
      {reply && !beside && (
        <p class="need">
          Nothing that is looked for is in the first answer: name another person or company in the line.
        </p>
      )}
      <Sentences
        of={[
          ...places.map(({ name, path, value }) => `${name}: ${value}, at ${path}`),
          ...(proposal?.notes ?? []),
        ]}
      />
      {proposal?.is_read && <Act look="go" says="This is right" does={onRight} />}
    </>
  );
}

const answerWords = (reply: TrialObject['reply']): string =>
  reply === null ? 'The answer was lost, and may have cost something.' : rawAnswer(reply.body);

interface AnswerProps {
  readonly says: string;
  readonly text: string;
  /** The values that were found in it. */
  readonly lit: readonly string[];
}

function Answer({ says, text, lit }: AnswerProps) {
  const words = lit.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const parts = words.length === 0 ? [text] : text.split(new RegExp(`(${words.join('|')})`));
  return (
    <section>
      <h3>{says}</h3>
      <pre>{parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</pre>
    </section>
  );
}
