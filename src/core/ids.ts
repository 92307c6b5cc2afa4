/** Names and amounts that every room hands on, each of a type of its own, so that they cannot be confused. */

declare const brand: unique symbol;
type Branded<T, Name> = T & { readonly [brand]: Name };

/** Eight hex digits that a user can type. */
export type BatchId = Branded<string, 'BatchId'>;
/** A number that grows with every attempt of the store. */
export type AttemptId = Branded<number, 'AttemptId'>;
export type DecisionId = Branded<number, 'DecisionId'>;
/** Whole credits, never negative. */
export type Credits = Branded<number, 'Credits'>;

export const credits = (amount: number): Credits => amount as Credits;
