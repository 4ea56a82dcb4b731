import { ApiError, StreamFailedError, StreamTruncatedError, SvcAudioError, TimeoutError } from '@svc-audio/core'

/** A step that this machine is too slow for. One line: what is slow, where the audio is, and what to do. */
export class SlowStepError extends Error {
  override readonly name = 'SlowStepError' as const

  /** @param audio Path of the audio, if it is stored. */
  constructor(step: string, audio: string | undefined, cause: SvcAudioError) {
    const stored = audio === undefined ? 'no audio is stored' : `the audio is in ${audio}`
    const again = audio === undefined ? 'run the demo again' : `run the demo with --file ${audio}`
    super(`${step} took too long on this busy machine: ${stored}. Close other programs, and ${again}`, { cause })
  }
}

/** Runs a step. @throws SlowStepError instead of an error that time alone explains */
export async function withinTime<T>(step: string, audio: string | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw isLate(error) ? new SlowStepError(step, audio, error) : error
  }
}

/** Codes of an engine that got no time: the service was just started, so nothing else is wrong with its engines. */
const LATE_CODES: ReadonlySet<string | undefined> = new Set(['engine_timeout', 'engine_unavailable'])

function isLate(error: unknown): error is SvcAudioError {
  if (ApiError.isInstance(error) || StreamFailedError.isInstance(error)) return LATE_CODES.has(error.code)
  return TimeoutError.isInstance(error) || StreamTruncatedError.isInstance(error)
}
