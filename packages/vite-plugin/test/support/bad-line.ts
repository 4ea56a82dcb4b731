import { dropConnection, type ResponseFunction, silence, status } from '@svc-audio/testing'
import { SPEECH, type SpeechCall, type Stage } from './stage.ts'

/** What goes wrong with the first attempt of a call. Further attempts succeed. */
export type LineFault = 'drops' | 'fails' | 'hangs'

/** What came over a bad line. */
export interface BadLine {
  /** Attempts of each text. */
  readonly attempts: ReadonlyMap<string, number>
  /** Texts whose attempts have no idempotency key, or several: the service would bill them more than once. */
  readonly billedTwice: () => readonly string[]
}

/**
 * Makes the service of a stage hard to reach.
 * @param faultOf What goes wrong with a text; `undefined` for nothing.
 */
export function setUpBadLine(stage: Stage, faultOf: (input: string) => LineFault | undefined): BadLine {
  const keys = new Map<string, Set<string | undefined>>()
  const attempts = new Map<string, number>()
  const faults: Readonly<Record<LineFault, ResponseFunction>> = {
    drops: dropConnection(),
    fails: () => status(500),
    hangs: silence,
  }
  stage.upstream.on(SPEECH, async (exchange) => {
    await exchange.received()
    const { input } = exchange.request.json as SpeechCall
    keys.set(input, (keys.get(input) ?? new Set()).add(exchange.request.headers['idempotency-key']))
    const attempt = (attempts.get(input) ?? 0) + 1
    attempts.set(input, attempt)
    const fault = attempt === 1 ? faultOf(input) : undefined
    return (fault === undefined ? stage.speaks : faults[fault])(exchange)
  })
  return {
    attempts,
    // The service replays by key: attempts with one key are one bill.
    billedTwice: () => [...keys].flatMap(([input, own]) => (own.size === 1 && !own.has(undefined) ? [] : [input])),
  }
}
