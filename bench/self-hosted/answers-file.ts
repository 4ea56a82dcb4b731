/** What bare Fastify answers: JSON, {@link BareAnswer} by path. */
export const ANSWERS_FILE = 'answers.json'

/** An answer of bare Fastify. */
export interface BareAnswer {
  /** What is sent. */
  readonly answer: object
  /** Queries that are run before, each for its rows: what the service has to read for the same answer. */
  readonly queries: readonly string[]
  /** Whether a link in it has to be signed, since that says until when it holds. */
  readonly signs: boolean
}
