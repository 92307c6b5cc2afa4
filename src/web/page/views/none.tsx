import { ButtonLink, Title } from '../parts/controls.tsx';

/** Where no view is shown: an address without one, and a tab that is not let in. */

export const Nowhere = () => (
  <>
    <Title name="There is nothing at this address" />
    <div class="view" tabIndex={-1}>
      <ButtonLink to="/" says="See your lists" />
    </div>
  </>
);

/** A tab that was opened by hand. */
export const Closed = ({ serve }: { readonly serve: string }) => (
  <main>
    <Title name="This page is closed" />
    <p class="view">
      Open it again from the terminal: <code>{serve}</code>. Your lists are all there.
    </p>
  </main>
);
