/** What a cell holds. `text` is what somebody would type to get it; a cell whose text is empty is blank. */
export type WorkbookCell =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string; readonly value: number }
  | { readonly kind: 'boolean'; readonly text: string; readonly value: boolean }
  | {
      readonly kind: 'date';
      readonly text: string;
      /** How it is shown: `moment` is a date with a time, `duration` hours, minutes and seconds. */
      readonly form: 'date' | 'moment' | 'duration';
      /** Days since the end of 1899, as Excel counts them. */
      readonly serial: number;
    };

export interface WorkbookRow {
  /** As the spreadsheet shows it, the first being 1. */
  readonly number: number;
  /** Gaps are blank cells. */
  readonly cells: readonly (WorkbookCell | undefined)[];
}
