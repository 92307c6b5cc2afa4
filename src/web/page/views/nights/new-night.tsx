import { useSignal } from '@preact/signals';
import { Fold } from '../../../../files/output/report/parts.ts';
import { whatWords } from '../../../../files/output/summary-words.ts';
import type { NightDraft, Nights } from '../../../api.ts';
import { Act, RefusedNotice, useAsked } from '../../parts/asking.tsx';
import { ButtonLink, Field, Select } from '../../parts/controls.tsx';
import { clockTime, counted } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { placeOf, Written } from './written.tsx';

const OWN = '';
const ANOTHER = '?';

/** While she chooses, nothing is asked. */
const DELAY_MS = 300;

/** A night that does with every new file what was done with a list: it is shown before it is written. */
export function NewNight({ lists, inboxes, accounts_file: file, time_zone: zone }: Nights) {
  const list = useSignal<string | undefined>(undefined);
  const inbox = useSignal(OWN);
  const at = useSignal('02:00');
  const credits = useSignal(200);
  const made = useSignal<(NightDraft & { readonly of: string }) | undefined>(undefined);
  const chosen = lists.find((each) => each.list === list.value) ?? lists[0];
  const isAnother = inbox.value === ANOTHER;
  const wish = {
    list: chosen?.list ?? '',
    // The schedule is one of the machine on which Rowonce runs.
    at: timeIn(zone, at.value),
    credits: credits.value,
    ...(inbox.value === OWN ? {} : { inbox: inbox.value }),
  };
  const draft = useAsked<NightDraft | undefined>(
    async (signal) =>
      chosen === undefined || isAnother ? undefined : ask('/nights', { body: wish, isLook: true, signal }),
    [JSON.stringify(wish)],
    { delayMs: DELAY_MS },
  ).value;
  if (chosen === undefined) return <NoList />;
  // What was made just now is no draft of another one, until she chooses something else.
  const isMade = made.value?.of === JSON.stringify(wish);
  const written = isAnother || isMade ? undefined : draft.value;
  const make = async (): Promise<void> => {
    const body = { ...wish, draft: draft.value?.id };
    made.value = { ...(await ask<NightDraft>('/nights', { body })), of: JSON.stringify(wish) };
  };
  return (
    <section class="paper pad stack" aria-label="A new night">
      <h2>A new night</h2>
      <Select
        name="Do the same as for"
        value={chosen.list}
        options={lists.map((each) => [each.list, `${each.name}, ${whatWords(each.operation)}`] as const)}
        onChosen={(next) => (list.value = next)}
      />
      <Carried {...chosen} />
      <Select
        name="Take new files of"
        value={inbox.value}
        options={[
          [OWN, 'a folder that is made for it'],
          ...inboxes.map(({ name, folder }) => [name, `${name}, ${folder}`] as const),
          [ANOTHER, 'another folder'],
        ]}
        onChosen={(next) => (inbox.value = next)}
      />
      {isAnother && <AnotherFolder file={file} />}
      <div class="pair">
        <Field
          says={`Every night at, ${placeOf(OWN_ZONE)}`}
          value={at.value}
          placeholder="02:00"
          inputMode="numeric"
          maxLength={5}
          onTyped={(typed) => (at.value = typed.padStart(5, '0'))}
        />
        <Field
          says="Most credits for each file"
          type="number"
          min={1}
          value={credits.value}
          onTyped={(typed) => (credits.value = Number(typed))}
        />
      </div>
      {wish.at !== at.value && <small>{`That is ${wish.at} in ${placeOf(zone)}, where Rowonce runs.`}</small>}
      <div class="bar">
        <Act look="go" says="Make it" disabled={written === undefined || draft.waits} does={make} />
      </div>
      <RefusedNotice refused={draft.refused} />
      {made.value !== undefined && (
        <p role="status">
          <b>{made.value.job}</b> is made. Put new files into its folder: <code>{made.value.folder}</code>
        </p>
      )}
      {written && (
        <Fold title="What is written">
          <div class="stack">
            <Written {...written} />
          </div>
        </Fold>
      )}
    </section>
  );
}

/** What a night does as the list did, and what it cannot: a corrected cell is one of its file. */
const Carried = ({ mends }: Nights['lists'][number]) => (
  <>
    <small>Its accounts, columns, conditions and what is added are carried over.</small>
    {mends > 0 && (
      <small class="need">
        {counted(mends, 'correction')} of its cells {mends === 1 ? 'is' : 'are'} not: a night takes the cells
        of a new file as they come.
      </small>
    )}
  </>
);

/** Nothing was chosen for any list, so no night has anything to do. */
const NoList = () => (
  <section class="paper pad stack" aria-label="A new night">
    <h2>A new night</h2>
    <p class="soft">It does what a list did. Bring a list, choose what to find in it, and come back here.</p>
    <div class="bar">
      <ButtonLink to="/" says="Bring a list" />
    </div>
  </section>
);

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time in a zone when it is this time today where she is; as it was typed where it is none. */
function timeIn(timeZone: string, typed: string): string {
  const [hour = Number.NaN, minute = Number.NaN] = typed.split(':').map(Number);
  const then = new Date(new Date().setHours(hour, minute, 0, 0));
  if (timeZone === OWN_ZONE || Number.isNaN(then.getTime())) return typed;
  return clockTime(then, timeZone);
}

/** No page leads the program to a folder of the machine: her own file does. */
const AnotherFolder = ({ file }: { readonly file: string }) => (
  <>
    <small>
      Only you can let Rowonce take files of another folder. Add this line with a name and a folder of yours,
      and choose the name here then. It belongs into
    </small>
    <pre>{file}</pre>
    <pre>{'inboxes: { crm: /srv/drop }'}</pre>
  </>
);
