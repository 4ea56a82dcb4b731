import { frameBytes } from '@svc-audio/core/audio'
import { ServiceError } from '../../domain/service-error.ts'
import type { Synthesis, Turn, Turns } from '@svc-audio/engine-ports'
import type { WorkMeter } from '../../domain/usage.ts'
import type { Services } from '../../services.ts'

/**
 * Returns the turns of a tenant's speech. Each sentence is one turn, also a sentence that is only measured. A slot is
 * held only while a sentence is made: neither a slow client nor a long text delays others.
 */
export function speechTurns(semaphores: Services['semaphores'], tenant: string): Turns {
  const { speech } = semaphores
  const turns = encodingTurns(semaphores, tenant)
  return (cost, signal, work) => speech.use(tenant, signal, () => turns(cost, signal, work), cost)
}

/** Returns the turns of a tenant's encoding. */
export function encodingTurns(semaphores: Services['semaphores'], tenant: string): Turns {
  return (cost, signal, work) => semaphores.processing.use(tenant, signal, () => work(turnOf(semaphores, tenant)), cost)
}

/** Work steps back only while another tenant has work here: alone, it would only leave processors idle. */
function turnOf({ speech, encoding, processing, recognition }: Services['semaphores'], tenant: string): Turn {
  const overflows = [speech, encoding, processing].some((semaphore) => semaphore.overflows(tenant))
  const others = [speech, encoding, processing, recognition].some((semaphore) => semaphore.hasOthers(tenant))
  return { background: overflows && others }
}

/** Options of {@link atMostSeconds}. */
export interface LengthOptions {
  /** The field of the text, for the error. @default 'input' */
  readonly param?: string
  /** Measures the speech. @default nothing is measured */
  readonly meter?: WorkMeter | undefined
}

/**
 * Limits and measures the length of speech.
 * @param max In seconds.
 * @returns Chunks that throw ServiceError 400 `output_too_long` at the first chunk beyond the limit
 */
export function atMostSeconds(
  { format, chunks }: Synthesis,
  max: number,
  { param, meter }: LengthOptions = {},
): Synthesis {
  const bytesPerSecond = format.sampleRate * frameBytes(format)
  const measured = (bytes: number): void => meter?.madeSpeech(bytes / bytesPerSecond)
  return { format, chunks: atMostBytes(chunks, max * bytesPerSecond, measured, () => outputTooLong(max, param)) }
}

/** Creates the error for speech over the limit. @param max The limit, in seconds. */
export function outputTooLong(max: number, param: string = 'input'): ServiceError {
  const message = `The speech must have at most ${max} seconds: send the text in parts`
  return new ServiceError(400, 'output_too_long', message, { param })
}

function atMostBytes(
  chunks: AsyncIterable<Uint8Array>,
  max: number,
  onBytes: (bytes: number) => void,
  tooLong: () => Error,
): AsyncIterable<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  let bytes = 0
  // Not a generator: a generator that is cancelled before its first read would not cancel the speech.
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = await source.next()
        if (result.done !== true) bytes += result.value.byteLength
        if (bytes <= max) {
          if (result.done !== true) onBytes(result.value.byteLength)
          return result
        }
        await source.return?.()
        throw tooLong()
      },
      async return() {
        return (await source.return?.()) ?? { done: true, value: undefined }
      },
    }),
  }
}
