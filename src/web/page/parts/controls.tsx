import type { ComponentChildren, ComponentProps } from 'preact';

type ButtonProps = ComponentProps<'button'> & {
  readonly says: ComponentChildren;
  /** `go` leads on, `bad` takes something away, `link` looks like a word of the text. */
  readonly look?: 'go' | 'bad' | 'link' | undefined;
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
  readonly says: string;
}

export const ButtonLink = ({ to, says }: ButtonLinkProps) => (
  <a class="btn" href={to}>
    {says}
  </a>
);

interface OptionsProps {
  /** Values, or each with the words for it. */
  readonly of: readonly (string | readonly [value: string, says: string])[];
}

export const Options = ({ of: options }: OptionsProps) =>
  options.map((option) => {
    const [value, says] = typeof option === 'string' ? [option, option] : option;
    return (
      <option key={value} value={value}>
        {says}
      </option>
    );
  });

interface CheckboxProps {
  readonly checked: boolean;
  readonly onCheck: (isChecked: boolean) => void;
  readonly says: ComponentChildren;
}

export function Checkbox({ checked, onCheck, says }: CheckboxProps) {
  return (
    <label>
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
  readonly name: string;
  readonly value: string | undefined;
  readonly options: OptionsProps['of'];
  readonly onChosen: (value: string) => void;
}

export function Select({ name, value, options, onChosen }: SelectProps) {
  return (
    <label>
      {name}
      <select value={value} onChange={({ currentTarget }) => onChosen(currentTarget.value)}>
        <Options of={options} />
      </select>
    </label>
  );
}

type FieldProps = ComponentProps<'input'> & {
  readonly says: ComponentChildren;
  /** Gets what is typed when the user leaves the field, because the thing that it names is then checked. */
  readonly onTyped?: (typed: string) => void;
};

/** A field that is read when she leaves it, or by its name when its form is sent. */
export function Field({ says, onTyped, ...input }: FieldProps) {
  return (
    <label>
      {says}
      <input
        spellcheck={false}
        onChange={({ currentTarget }) => onTyped?.(currentTarget.value.trim())}
        {...input}
      />
    </label>
  );
}
