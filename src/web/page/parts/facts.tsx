import { type ComponentChildren, Fragment } from 'preact';

export type Fact = readonly [name: string, says: ComponentChildren];

/** Facts by their names. What is blank is not said. */
export const Facts = ({ of }: { readonly of: readonly Fact[] }) => (
  <dl>
    {of.map(
      ([name, says]) =>
        says !== '' && (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{says}</dd>
          </Fragment>
        ),
    )}
  </dl>
);
