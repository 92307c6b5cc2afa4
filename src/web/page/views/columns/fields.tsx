import { grouped } from '../../parts/figures.ts';
import { inputWords, OF_ONE } from '../../parts/several.ts';
import { text } from '../../text.ts';
import { type Choosing, choose, unlessEmpty } from './choosing.ts';

/** How many fields stand open; a vendor's answer may have hundreds. */
const FIELDS_OPEN = 24;

/** Of several operations a field is called by the one that it is of, as in `enrich-person.job_title`; its column is not. */
function nameFor(field: string, taken: Readonly<Record<string, string>>): string {
  const name = field.replace(OF_ONE, '$2').replaceAll('.', '_');
  return name in taken ? field.replaceAll(/[.-]/g, '_') : name;
}

interface FieldsShown extends Pick<Choosing, 'choices'> {
  readonly fields: readonly string[];
  /** By field, a value that an answer has there. */
  readonly examples: Readonly<Record<string, string>>;
}

/** The new columns, each with a value from an answer. Without a choice every field is added. */
export function Fields({ fields, examples, choices }: FieldsShown) {
  const add = choices.value.add ?? {};
  const toggle = (field: string, isAdded: boolean): void => {
    const others = Object.entries(add).filter(([, path]) => path !== field);
    const entries = isAdded
      ? [...others, [nameFor(field, Object.fromEntries(others)), field] as const]
      : others;
    choose(choices, { add: unlessEmpty(Object.fromEntries(entries)) });
  };
  const rename = (field: string, name: string): void => {
    if (name === '' || (add[name] ?? field) !== field) return;
    const entries = Object.entries(add).map(([each, path]) => [path === field ? name : each, path] as const);
    choose(choices, { add: Object.fromEntries(entries) });
  };
  const box = (field: string) => {
    const name = Object.entries(add).find(([, path]) => path === field)?.[0];
    return (
      <div key={field} class="came-back">
        <label class="box">
          <input
            type="checkbox"
            checked={name !== undefined}
            onChange={(event) => toggle(field, event.currentTarget.checked)}
          />
          <span class="cut" title={field}>
            {OF_ONE.test(field) ? inputWords(field) : field}
          </span>
        </label>
        <small class="muted cut" title={examples[field]}>
          {examples[field] ?? text.columns.noExample}
        </small>
        {name !== undefined && (
          <input
            aria-label={text.columns.nameOf(field)}
            defaultValue={name}
            onChange={(event) => rename(field, event.currentTarget.value.trim())}
          />
        )}
      </div>
    );
  };
  const chosen = Object.keys(add).length;
  return (
    <details class="card" open={chosen > 0}>
      <summary>
        {text.columns.fields}{' '}
        <span class="muted">
          {chosen === 0 ? text.columns.allFields : text.columns.chosen(grouped(chosen))}
        </span>
      </summary>
      <div class="fields">{fields.slice(0, FIELDS_OPEN).map(box)}</div>
      {fields.length > FIELDS_OPEN && (
        <details>
          <summary>{`${grouped(fields.length - FIELDS_OPEN)} ${text.columns.moreFields}`}</summary>
          <div class="fields">{fields.slice(FIELDS_OPEN).map(box)}</div>
        </details>
      )}
    </details>
  );
}
