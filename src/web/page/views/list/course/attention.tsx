import { needsByWho, type Reason } from '../../../../../files/output/report/needs.ts';
import { Button } from '../../../parts/controls.tsx';
import { grouped } from '../../../parts/figures.ts';
import type { Scene } from '../scene.ts';

type OfOpened = Pick<Scene, 'opened'>;

/** Why rows need attention, by the person who can help, each with a way to its rows. */
export const Attention = ({ reasons, opened }: OfOpened & { readonly reasons: readonly Reason[] }) => (
  <>
    {needsByWho(reasons).map(({ title, who, all }) => (
      <section key={title ?? who}>
        {title && <h2>{title}</h2>}
        {who && <p class="soft">{who}:</p>}
        <ul>
          {all.map((reason) => (
            <li key={reason.words} class="step">
              <b>{grouped(reason.rows)}</b>
              <span>{reason.words}</span>
              <small>
                <RowLinks {...reason} opened={opened} />
              </small>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </>
);

type RowLinksProps = OfOpened & Pick<Reason, 'first_rows' | 'rows'>;

/** Each of some rows opens beside the table. */
const RowLinks = ({ first_rows: first, rows, opened }: RowLinksProps) => (
  <>
    {first.map((row) => (
      <span key={row}>
        <Button look="link" says={`row\u00a0${grouped(row)}`} onClick={() => (opened.value = row)} />{' '}
      </span>
    ))}
    {rows > first.length && `and ${grouped(rows - first.length)} more`}
  </>
);
