/** A column that was taken for an input, and why, as a phrase: `by its name`. */
export interface GuessedColumn {
  readonly column: string;
  readonly because: string;
}

/** A column that is probably meant for an input; nothing is sent on it. */
export interface LikelyColumn extends GuessedColumn {
  readonly input: string;
}

export const BY_NAME = 'by its name';
