/** Answers of bare Fastify: JSON, {@link BareResponse} by path. */
export const ANSWERS_FILE = 'answers.json'

/** A response of bare Fastify. */
export interface BareResponse {
  /** The body. */
  readonly answer: object
  /** Queries to run before the response, each with all its rows: the reads of the service for the same response. */
  readonly queries: readonly string[]
  /** Whether to sign a link in the response. The link contains its expiry, so each request needs a signature. */
  readonly signs: boolean
}
