import { useSignal } from '@preact/signals';
import { capital } from '../../../core/plain-text.ts';
import { inputWords } from '../../../files/output/summary-words.ts';
import type { TrialObject, WorkAnswer } from '../../api.ts';
import { Act } from '../parts/asking.tsx';
import { ButtonLink, Field, Label, Sentences, Title } from '../parts/controls.tsx';
import { untilEnded } from '../parts/ended.ts';
import { creditWords } from '../parts/figures.ts';
import { Form } from '../parts/form.tsx';
import { rawAnswer } from '../parts/vendor.tsx';
import { ask, showActed } from '../session.ts';

const tried = async (body: object): Promise<TrialObject> => {
  const { work } = await ask<WorkAnswer>('/try', { body });
  return untilEnded<TrialObject>(work.id);
};

/** A vendor that nobody has described: a line of its page, and two answers, with what is read in them. */
export function TryVendor() {
  const sent = useSignal<object>({});
  const name = useSignal('');
  const answers = useSignal<TrialObject | undefined>(undefined);
  const send = async ({ budget, ...fields }: Record<string, unknown>): Promise<void> => {
    sent.value = { ...fields, budget: Number(budget) };
    name.value = String(fields.account);
    answers.value = undefined;
    answers.value = await tried(sent.value);
  };
  const write = async (): Promise<void> => {
    await tried({ ...sent.value, write: true });
    showActed();
    location.href = '/accounts';
  };
  return (
    <>
      <Title
        name={name.value === '' ? 'Try another vendor' : `Try: ${name.value}`}
        facts="one row that it knows, one that it does not"
      >
        <ButtonLink look="quiet" to="/accounts" says="Cancel" />
      </Title>
      <div class="view stack" tabIndex={-1}>
        {/* The fields stay as they are: another line may have to be tried. */}
        <section class="paper pad" aria-label="What is asked">
          <Form says="Ask for both" sends={send}>
            <Label says="A line of curl, as the vendor's page shows it">
              <textarea name="job" rows={4} spellcheck={false} required />
            </Label>
            <div class="pair">
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
            </div>
            <small>
              The vendor is asked twice: for the name in the line, and for one that we have invented.
            </small>
          </Form>
        </section>
        <div class="stack" role="status">
          {answers.value && <Both {...answers.value} onRight={write} />}
        </div>
      </div>
    </>
  );
}

function Both({ reply, beside, proposal, credits, onRight }: TrialObject & { onRight(): Promise<void> }) {
  const places = proposal?.places ?? [];
  const values = places.map(({ value }) => value);
  return (
    <>
      <div class="grid2 even">
        <Answer says="The name in the line" text={answerWords(reply)} lit={values} />
        <Answer
          says="The invented one"
          text={beside ? answerWords(beside.reply) : 'It was not asked for.'}
          lit={[]}
        />
      </div>
      {reply && !beside && (
        <p class="need">
          Nothing that is looked for is in the first answer: name another person or company in the line.
        </p>
      )}
      {places.length > 0 && (
        <section class="paper" aria-label="What is read in them">
          <div class="bar hd">
            <h2>What Rowonce reads in them</h2>
            <span class="soft">lit above</span>
          </div>
          <ul class="rows read">
            {places.map(({ name, path, value }) => (
              <li key={path}>
                <span class="soft">{capital(inputWords(name))}</span>
                <span>{value}</span>
                <small>at {path}</small>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p class="soft">Both cost {creditWords(credits)}.</p>
      <Sentences of={proposal?.notes ?? []} />
      {proposal?.is_read && (
        <div class="bar">
          <Act look="go" says="This is right" does={onRight} />
          <span class="soft">Kept as two examples, read again free at each test.</span>
        </div>
      )}
    </>
  );
}

const answerWords = (reply: TrialObject['reply']): string =>
  reply === null ? 'The answer was lost, and may have been charged.' : rawAnswer(reply.body);

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
    <section class="paper" aria-label={says}>
      <div class="bar hd">
        <h2>{says}</h2>
      </div>
      <pre class="pad">{parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</pre>
    </section>
  );
}
