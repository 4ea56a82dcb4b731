import type { Hearing, Step } from './model.ts'
import { END } from './tokens.ts'

/** Lets other work of the thread run. It throws to abort. */
export type Pause = () => Promise<void>

/** Tokens of a loop, and how often they come until the text is cut. A model that hears no word may repeat some for ever. */
const LONGEST_LOOP = 12
const MAX_ROUNDS = 4

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

/** Returns a text with one more token. {@link END} completes it. */
export async function extend(hearing: Hearing, { tokens, step }: Path, token: number): Promise<Path> {
  if (token === END || tokens.length >= hearing.maxTokens) return { tokens, step, isDone: true }
  const longer = [...tokens, token]
  const loop = loopOf(longer)
  if (loop > 0) return { tokens: longer.slice(0, longer.length - loop * (MAX_ROUNDS - 1)), step, isDone: true }
  return { tokens: longer, step: await hearing.next(step.memory, token), isDone: false }
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

/** Returns the length of the loop at the end; 0 without a loop. */
function loopOf(tokens: readonly number[]): number {
  for (let length = 1; length <= LONGEST_LOOP && length * MAX_ROUNDS <= tokens.length; length += 1) {
    const from = tokens.length - length * MAX_ROUNDS
    let same = true
    for (let at = from + length; same && at < tokens.length; at += 1) same = tokens[at] === tokens[at - length]
    if (same) return length
  }
  return 0
}
