import type { ComponentChildren, ComponentProps } from 'preact';

type ButtonProps = ComponentProps<'button'> & {
  readonly says: ComponentChildren;
  /** `go` leads on, `danger` takes something away, `link` looks like a word of the text. */
  readonly look?: 'go' | 'danger' | 'pill' | 'link' | undefined;
};

/** It submits no form, unless it says that it does. */
export function Button({ says, look, type = 'button', ...rest }: ButtonProps) {
  return (
    <button type={type} class={look} {...rest}>
      {says}
    </button>
  );
}

interface ButtonLinkProps {
  readonly to: string;
  readonly says: ComponentChildren;
  readonly look?: 'go';
}

export function ButtonLink({ to, says, look }: ButtonLinkProps) {
  return (
    <a class={`btn ${look ?? ''}`} href={to}>
      {says}
    </a>
  );
}

/** A text that is cut where it is too long, and stands whole in its title. */
export function Cut({ text, look }: { readonly text: string | undefined; readonly look?: string }) {
  return (
    <span class={look === undefined ? 'cut' : `${look} cut`} title={text}>
      {text}
    </span>
  );
}

export function Options({ of: options }: { readonly of: readonly (string | readonly [string, string])[] }) {
  return options.map((option) => {
    const [value, shown] = typeof option === 'string' ? [option, option] : option;
    return (
      <option key={value} value={value}>
        {shown}
      </option>
    );
  });
}

interface CheckboxProps {
  readonly checked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
  readonly says: ComponentChildren;
}

export function Checkbox({ checked, onCheck, says }: CheckboxProps) {
  return (
    <label class="box">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onCheck(currentTarget.checked)}
      />
      {says}
    </label>
  );
}

interface SelectProps {
  readonly name: ComponentChildren;
  readonly value: string | undefined;
  readonly options: readonly (string | readonly [string, string])[];
  readonly onChosen: (value: string) => void;
}

export function Select({ name, value, options, onChosen }: SelectProps) {
  return (
    <label class="field">
      {name}
      <select value={value} onChange={({ currentTarget }) => onChosen(currentTarget.value)}>
        <Options of={options} />
      </select>
    </label>
  );
}

interface TextFieldProps {
  readonly name: ComponentChildren;
  readonly value: string | number | undefined;
  readonly placeholder?: string;
  readonly onTyped: (typed: string) => void;
}

/** Reports the typed text when the user leaves the field, because the thing that it names is then checked. */
export function TextField({ name, value = '', placeholder, onTyped }: TextFieldProps) {
  return (
    <label class="field">
      {name}
      <input
        defaultValue={value}
        placeholder={placeholder}
        onChange={({ currentTarget }) => onTyped(currentTarget.value.trim())}
      />
    </label>
  );
}

type FieldProps = ComponentProps<'input'> & {
  readonly says: string;
  readonly hint?: string;
};

/** A field of a form that is sent as a whole. */
export function Field({ says, hint, ...input }: FieldProps) {
  return (
    <label class="field">
      {says}
      <input spellcheck={false} {...input} />
      {hint && <small>{hint}</small>}
    </label>
  );
}

/** What stands in the fields of a form by their names, without those that are blank. */
export function typedIn(event: SubmitEvent): Record<string, FormDataEntryValue> {
  event.preventDefault();
  const typed = [...new FormData(event.currentTarget as HTMLFormElement)];
  return Object.fromEntries(typed.filter(([, value]) => value !== ''));
}
