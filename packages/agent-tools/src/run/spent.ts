/** What a call has spent, for the application. */
export interface Spent {
  /** Characters of text (UTF-16 units), or seconds of audio as far as their length is known. */
  readonly unit: 'characters' | 'audioSeconds'
  /** By this call; 0 for a stored transcript. */
  readonly call: number
  /** By all calls of the run so far, this one included. */
  readonly run: number
  /** By the user today, if `dailyBudget` limits this unit. */
  readonly day?: number
}
