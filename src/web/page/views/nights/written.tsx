import type { NightWritten } from '../../../api.ts';

/** What a night is on the disk, and the lines by which it runs without the page. */
export function Written({ path, text, folder, cron, service, timer, variables }: NightWritten) {
  return (
    <>
      <small>Its new files lie in this folder, and move to the folder “done” in it:</small>
      <pre>{folder}</pre>
      <small>Its file is {fileOf(path)}:</small>
      <pre>{text}</pre>
      <small>
        While this page is open, it runs by itself. Without the page, this line of a crontab does it:
      </small>
      <pre>{cron}</pre>
      {variables.length > 0 && (
        <small>
          The key stands in {variables.join(' and ')}: a crontab needs it above that line, as {variables[0]}=…
        </small>
      )}
      {timer !== '' && (
        <details>
          <summary>The same for a timer of systemd</summary>
          <div class="stack">
            <small>rowonce-nightly.service</small>
            <pre>{service}</pre>
            <small>rowonce-nightly.timer</small>
            <pre>{timer}</pre>
          </div>
        </details>
      )}
    </>
  );
}

const fileOf = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** `Sydney`, of `Australia/Sydney`. */
export const placeOf = (zone: string): string => zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone;
