import type { Hearing, Step } from './model.ts'
import { END } from './tokens.ts'

/** Lets other work of the thread run. It throws to abort. */
export type Pause = () => Promise<void>

/** Tokens of a loop, and how often they come at least. */
const LONGEST_LOOP = 12
const MIN_ROUNDS = 4

/** The tokens of a text so far, and what may follow them. */
export interface Path {
  readonly tokens: readonly number[]
  /** What may follow. */
  readonly step: Step
  /** Whether the text is complete. */
  readonly isDone: boolean
}

/** Returns the empty text of an utterance. */
export async function beginPath(hearing: Hearing): Promise<Path> {
  return { tokens: [], step: await hearing.begin(), isDone: false }
}

/**
 * Returns a text with one more token. {@link END} completes it, and so does a length that nobody speaks in that time. A loop
 * at the end of such a text is no speech, and comes once. A text in its time keeps its words: people repeat some.
 */
export async function extend(hearing: Hearing, { tokens, step }: Path, token: number): Promise<Path> {
  if (token === END) return { tokens, step, isDone: true }
  if (tokens.length >= hearing.maxTokens) return { tokens: withoutLoop(tokens), step, isDone: true }
  return { tokens: [...tokens, token], step: await hearing.next(step.memory, token), isDone: false }
}

/**
 * Returns the most likely text of an utterance.
 * @param pause Called after each token.
 */
export async function decode(hearing: Hearing, pause: Pause): Promise<Path> {
  let path = await beginPath(hearing)
  while (!path.isDone) {
    path = await extend(hearing, path, mostLikely(path.step.scores))
    await pause()
  }
  return path
}

/** Returns the most likely token. */
export function mostLikely(scores: Float32Array): number {
  let best = 0
  for (let token = 1; token < scores.length; token += 1) {
    if ((scores[token] ?? 0) > (scores[best] ?? 0)) best = token
  }
  return best
}

/** Returns the tokens with one round of the loop at their end. */
function withoutLoop(tokens: readonly number[]): readonly number[] {
  for (let length = 1; length <= LONGEST_LOOP; length += 1) {
    let end = tokens.length
    while (end > length && tokens[end - 1] === tokens[end - 1 - length]) end -= 1
    if (tokens.length - end >= (MIN_ROUNDS - 1) * length) return tokens.slice(0, end)
  }
  return tokens
}
