import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { PlannedChangeObject, PlanView, Ways } from '../../api.ts';
import { Loaded, RefusedNotice } from '../loaded.tsx';
import { type Asked, useAction, useAsked } from '../parts/action.ts';
import { Button, ButtonLink, Checkbox, Cut, Options, TextField } from '../parts/controls.tsx';
import { counted, grouped } from '../parts/figures.ts';
import { inputWords } from '../parts/several.ts';
import { Steps } from '../parts/steps.tsx';
import { go } from '../router.ts';
import { ask } from '../session.ts';
import { text } from '../text.ts';
import { type Choosing, choose, Fields, Settings, unlessEmpty } from './columns/settings.tsx';
import { rowsSaid } from './list.tsx';

/**
 * Shows which column feeds which input. Guesses are shown as guesses, and every change is checked against the
 * whole list.
 */
export function Columns({ params: { id = '' } }: { readonly params: Readonly<Record<string, string>> }) {
  return (
    <>
      <Steps list={id} at={2} />
      <Loaded<Ways> path={`/lists/${id}/ways`}>
        {(ways) => (ways.choices === null ? <Nothing list={id} /> : <ColumnsShown list={id} ways={ways} />)}
      </Loaded>
    </>
  );
}

/** Also what the next step shows when nothing was chosen yet. */
export function Nothing({ list }: { readonly list: string }) {
  return (
    <section class="empty">
      <h1>{text.columns.nothing}</h1>
      <ButtonLink to={`/lists/${list}/do`} says={text.todo.title} look="primary" />
    </section>
  );
}

function ColumnsShown({ list, ways }: { readonly list: string; readonly ways: Ways }) {
  const choices = useSignal(ways.choices ?? { what: { operation: '' } });
  const action = useAction();
  const sent = choices.value;
  const asked = useAsked<PlanView>(
    (signal) => ask('/plans', { body: { list, choices: sent }, signal }),
    [list, sent],
    250,
  );
  const plan = asked.value.value;
  const operation = ways.operations.find(({ name }) => name === choices.value.what.operation);
  const goOn = (): void =>
    action.run(async () => {
      await ask(`/lists/${list}/draft`, { method: 'PUT', body: choices.value });
      go(`/lists/${list}/plan`);
    });
  return (
    <>
      <div class="title">
        <h1>{text.columns.title}</h1>
        <Cut look="muted" text={ways.name} />
      </div>
      {operation !== undefined && <Inputs operation={operation} ways={ways} plan={plan} choices={choices} />}
      {operation !== undefined && (
        <Settings list={list} operation={operation} choices={choices} plan={plan} />
      )}
      {operation?.settings.includes('projects') && <Projects plan={plan} choices={choices} />}
      <Check asked={asked} />
      {plan?.fields !== undefined && <Fields fields={plan.fields} choices={choices} />}
      <RefusedNotice refused={action.refused.value} />
      <div class="actions">
        <Button
          class="primary"
          disabled={asked.value.refused !== undefined || action.isBusy.value}
          onClick={goOn}
          says={text.columns.go}
        />
      </div>
    </>
  );
}

function Inputs({
  operation,
  ways,
  plan,
  choices,
}: Choosing & { readonly ways: Ways; readonly plan: PlanView | undefined }) {
  const guessed = ways.facts.operations.find((each) => each.operation === operation.name);
  const told = plan ?? guessed;
  const mapped = choices.value.columns ?? told?.columns ?? {};
  const because = (choices.value.columns === undefined ? told?.because : undefined) ?? {};
  const why = (input: string): string | undefined => {
    if (mapped[input] === undefined) return undefined;
    return because[input] === undefined ? undefined : `${text.columns.guessed} ${because[input]}`;
  };
  /** @param column blank: the input is left unread; undefined: nothing is said of it. */
  const set = (input: string, column?: string): void => {
    const { [input]: _, ...others } = mapped;
    choose(choices, { columns: column === undefined ? others : { ...others, [input]: column } });
  };
  return (
    <ul class="cards">
      {operation.inputs.map(({ name, about, required }) => {
        const likely = guessed?.likely.find(({ input }) => input === name);
        return (
          <li key={name} class="card input">
            <label class="field">
              <span>
                {inputWords(name)} {required && <span class="tag">{text.columns.required}</span>}
              </span>
              <small>{about}</small>
              <select value={mapped[name] ?? ''} onChange={(event) => set(name, event.currentTarget.value)}>
                <option value="">{text.columns.none}</option>
                <Options of={ways.facts.columns.map((column) => column.name)} />
              </select>
            </label>
            <Chosen
              column={ways.facts.columns.find((column) => column.name === mapped[name])}
              why={why(name)}
            />
            {!mapped[name] && likely !== undefined && (
              <button type="button" class="plain" onClick={() => set(name, likely.column)}>
                {text.columns.perhaps} {likely.column}
              </button>
            )}
          </li>
        );
      })}
      {guessed?.unheeded?.map(({ input, column }) => (
        <li key={input} class="card input">
          <Checkbox
            checked={mapped[input] === ''}
            onCheck={(isChecked) => set(input, isChecked ? '' : undefined)}
            says={text.columns.leaveUnread(column)}
          />
        </li>
      ))}
    </ul>
  );
}

function Chosen({
  column,
  why,
}: {
  readonly column: Ways['facts']['columns'][number] | undefined;
  /** Why it was taken; undefined for one that was chosen. */
  readonly why: string | undefined;
}) {
  if (column === undefined) return <p class="muted examples">{text.columns.unused}</p>;
  const { filled, odd, looks_like: look, examples } = column;
  const isKind = look !== 'text' && look !== 'blank';
  return (
    <div class="examples">
      <p>
        {why !== undefined && <span class="tag">{why}</span>}{' '}
        <span class={odd.count > 0 ? 'tag warn' : 'tag good'}>
          {isKind
            ? `${grouped(filled - odd.count)} of ${counted(filled, 'cell')} ${text.columns.lookLike} ${look}`
            : `${counted(filled, 'cell')} ${text.columns.filled}`}
        </span>
      </p>
      <p class="muted cut" title={examples.join('\n')}>
        {examples.length === 0 ? text.columns.blank : examples.join(' · ')}
      </p>
    </div>
  );
}

/** A cell that cannot be used may name several projects, of which each has an id. */
const namesIn = ({ project, action }: PlannedChangeObject): readonly (string | null)[] =>
  action === 'invalid' && project !== null ? project.split(/[;|]/).map((name) => name.trim()) : [project];

/** Projects are known by their ids, and lists call them by names: each name of the list gets its id once. */
function Projects({ plan, choices }: Omit<Choosing, 'operation'> & { readonly plan: PlanView | undefined }) {
  const given = choices.value.projects ?? {};
  const named = plan?.columns.project === undefined ? [] : (plan.changes ?? []).flatMap(namesIn);
  // In the order in which the names came up: a field that moved while the user fills the next one would be
  // lost from sight.
  const seen = useRef<readonly string[]>([]);
  const found = named.filter((name) => name !== null);
  const names = [...new Set([...seen.current, ...found, ...Object.keys(given)])];
  if (plan !== undefined) seen.current = names;
  if (names.length === 0) return null;
  const set = (name: string, id: string): void => {
    const ids = { ...given, [name]: id };
    const filled = names.flatMap((each) => (ids[each] ? [[each, ids[each]] as const] : []));
    choose(choices, { projects: unlessEmpty(Object.fromEntries(filled)) });
  };
  return (
    <section class="card stack">
      <h2>{text.columns.projects}</h2>
      <p class="muted">{text.columns.projectsWhat}</p>
      <div class="fields">
        {names.map((name) => (
          <TextField
            key={name}
            name={<Cut text={name} />}
            value={given[name] ?? undefined}
            placeholder={text.columns.projectId}
            onTyped={(typed) => set(name, typed)}
          />
        ))}
      </div>
    </section>
  );
}

/** A person reads at most this many reasons before mending the list. */
const REASONS_SHOWN = 10;

function Check({ asked }: { readonly asked: Signal<Asked<PlanView>> }) {
  const { value, refused, waits } = asked.value;
  return (
    <section class="card check" aria-live="polite" aria-busy={waits}>
      <RefusedNotice refused={refused} />
      {value !== undefined && (
        <p>
          <strong>{text.list.ofRows(grouped(value.rows - value.invalid), counted(value.rows, 'row'))}</strong>{' '}
          {text.columns.usable} {value.invalid > 0 && text.columns.unusable(grouped(value.invalid))}
        </p>
      )}
      <Reasons reasons={value?.reasons} />
      {value === undefined && refused === undefined && <p class="loading">{text.columns.checking}</p>}
    </section>
  );
}

/** Why rows cannot be worked on, the most frequent reason first. */
export function Reasons({ reasons = [] }: { readonly reasons: PlanView['reasons'] }) {
  const others = reasons.length - REASONS_SHOWN;
  if (reasons.length === 0) return null;
  return (
    <ul class="plain-list muted">
      {reasons.slice(0, REASONS_SHOWN).map((each) => (
        <li key={each.reason}>{`${rowsSaid(each)}: ${each.reason}`}</li>
      ))}
      {others > 0 && <li>{counted(others, text.plan.otherReason)}</li>}
    </ul>
  );
}
