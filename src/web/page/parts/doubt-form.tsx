import { type Signal, useSignal } from '@preact/signals';
import type { DoubtsView, SettleRequest, WorkList, WorkView } from '../../api.ts';
import { asRefused, Refusal } from '../loaded.tsx';
import { ask, Refused } from '../session.ts';
import { text } from '../text.ts';
import { counted, grouped } from './figures.ts';

/** What a person decides about doubts. Each choice says what it means for the money before it is made. */

type How = SettleRequest['how'];
type Pair = readonly [name: string, value: string];

export function DoubtForm({
  list,
  chosen,
  onDecided,
}: {
  readonly list: DoubtsView;
  readonly chosen: readonly number[];
  readonly onDecided: () => void;
}) {
  // Nothing is chosen for a person, because asking again may be paid for twice.
  const how = useSignal<How | undefined>(undefined);
  const pairs = useSignal<readonly Pair[]>([['', '']]);
  const extra = useSignal<number | undefined>(undefined);
  const most = extra.value ?? list.retries.extra_credits.used + list.at_risk;
  const state = useSignal<'noting' | 'noted' | Refused | undefined>(undefined);
  const about = list.in_doubt.filter(({ row, own }) => chosen.length === 0 || (own && chosen.includes(row)));
  const credits = about.reduce((sum, doubt) => sum + doubt.credits, 0);
  const isOne = about.length === 1;
  const isNoting = state.value === 'noting';
  const send = async (): Promise<void> => {
    if (how.value === undefined) return;
    state.value = 'noting';
    try {
      await settle(list.batch, requestOf(how.value, chosen, pairs.value, most));
      state.value = 'noted';
      how.value = undefined;
      extra.value = undefined;
    } catch (error) {
      state.value = asRefused(error);
    }
    onDecided();
  };
  return (
    <form
      class="card decide"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <h2>{text.doubts.decide}</h2>
      <p>
        <strong>
          {chosen.length === 0
            ? text.doubts.all(grouped(about.length))
            : text.doubts.chosen(grouped(chosen.length))}
        </strong>
        , {counted(credits, 'credit')}
      </p>
      <fieldset>
        <legend class="sr">{text.doubts.how}</legend>
        {list.over === undefined && (
          <Choice how={how} value="retry" what={text.doubts.retryWhat(counted(credits, 'credit'))} />
        )}
        {how.value === 'retry' && credits > 0 && (
          <label class="field inset">
            {text.doubts.extra}
            <input
              type="number"
              min={0}
              step={1}
              class="short"
              required
              value={most}
              onInput={({ currentTarget: { value } }) => {
                extra.value = Number(value);
              }}
            />
          </label>
        )}
        <Choice how={how} value="skip" what={text.doubts.skipWhat(counted(credits, 'credit'))} />
        <Choice how={how} value="not_done" what={text.doubts.notDoneWhat(counted(credits, 'credit'))} />
        <Choice
          how={how}
          value="answer"
          what={isOne ? text.doubts.answerWhat(counted(credits, 'credit')) : text.doubts.answerOne}
          isOff={!isOne}
        />
        {how.value === 'answer' && isOne && <Pairs pairs={pairs} />}
      </fieldset>
      <div class="actions">
        <button
          type="submit"
          class="primary"
          disabled={isNoting || how.value === undefined || (how.value === 'answer' && !isOne)}
        >
          {isNoting ? text.doubts.noting : text.doubts.submit}
        </button>
        <span role="status">
          {state.value === 'noted' && (
            <>
              {list.over === undefined ? text.doubts.noted : text.doubts.notedOver}{' '}
              <a href={`/batches/${list.batch}`}>{text.doubts.toBatch}</a>
            </>
          )}
        </span>
      </div>
      {state.value instanceof Refused && <Refusal refused={state.value} />}
    </form>
  );
}

const NAMES: Readonly<Record<How, string>> = {
  retry: text.doubts.retry,
  skip: text.doubts.skip,
  not_done: text.doubts.notDone,
  answer: text.doubts.answer,
};

function Choice({
  how,
  value,
  what,
  isOff = false,
}: {
  readonly how: Signal<How | undefined>;
  readonly value: How;
  readonly what: string;
  readonly isOff?: boolean;
}) {
  return (
    <label class="choice">
      <input
        type="radio"
        name="how"
        checked={how.value === value}
        disabled={isOff}
        onChange={() => {
          how.value = value;
        }}
      />
      <span>
        <strong>{NAMES[value]}</strong> <span class="muted">{what}</span>
      </span>
    </label>
  );
}

/** What the vendor answered, as names and values. */
function Pairs({ pairs }: { readonly pairs: Signal<readonly Pair[]> }) {
  const change = (at: number, pair: Pair): void => {
    pairs.value = pairs.value.map((each, place) => (place === at ? pair : each));
  };
  return (
    <div class="inset told-pairs">
      {pairs.value.map(([name, value], at) => (
        <div class="actions" key={at}>
          <input
            aria-label={text.doubts.name}
            placeholder={text.doubts.name}
            value={name}
            onInput={({ currentTarget }) => change(at, [currentTarget.value, value])}
          />
          <input
            aria-label={text.doubts.value}
            placeholder={text.doubts.value}
            value={value}
            onInput={({ currentTarget }) => change(at, [name, currentTarget.value])}
          />
        </div>
      ))}
      <button
        type="button"
        class="plain"
        onClick={() => {
          pairs.value = [...pairs.value, ['', '']];
        }}
      >
        {text.doubts.addValue}
      </button>
    </div>
  );
}

function requestOf(
  how: How,
  chosen: readonly number[],
  pairs: readonly Pair[],
  extra: number,
): SettleRequest {
  const told = pairs.map(([name, value]) => [name.trim(), value] as const).filter(([name]) => name !== '');
  return {
    rows: chosen.length === 0 ? 'all' : [...chosen],
    how,
    ...(how === 'retry' ? { extra_credits: extra } : {}),
    ...(how === 'answer' ? { answer: Object.fromEntries(told) } : {}),
  };
}

const ASK_AGAIN_MS = 300;

/** Starts it and waits until it is noted. @throws Refused in the words of the command. */
async function settle(batch: string, request: SettleRequest): Promise<void> {
  const { work } = await ask<WorkList>(`/batches/${batch}/settle`, { body: request });
  const ids = new Set(work.map(({ id }) => id));
  for (;;) {
    const all = (await ask<WorkList>('/tasks')).work.filter(({ id }) => ids.has(id));
    const stopped = all.find((each) => each.state === 'ended' && each.exit_code !== 0);
    if (stopped !== undefined) throw refusedOf(stopped);
    if (all.every((each) => each.state === 'ended')) return;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
  }
}

function refusedOf({ stopped, said }: WorkView): Refused {
  return new Refused(stopped ?? { code: 'bug', message: said.at(-1) ?? '', next: '' });
}
