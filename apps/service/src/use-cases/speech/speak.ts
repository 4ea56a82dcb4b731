import { aigcValue } from '@svc-audio/core/audio'
import type { VoiceManner } from '@svc-audio/engine-ports'
import type { WorkMeter } from '../../domain/usage.ts'
import type { Services } from '../../services.ts'
import { atMostSeconds, encodingTurns, speechTurns } from './speech-output.ts'
import type { SpeechOrder } from './speech-rules.ts'

/** Tenant, signal and meter of the work. */
export interface WorkOptions {
  readonly tenant: string
  /** Id of the task, the stream or the file. @default the work has none */
  readonly id?: string | undefined
  /** Stops the work. */
  readonly signal: AbortSignal
  /** Measures the work. @default nothing is measured */
  readonly meter?: WorkMeter | undefined
}

/** Changes of speech that the interface offers only in streams and in voice generation. */
export interface SpeechChanges {
  /** Speaking rate, 0.25 to 4. @default 1 */
  readonly speed?: number | undefined
  /** Changes of a built-in voice with traits. @default none */
  readonly manner?: VoiceManner | undefined
  /** Sample rate of the format `pcm`, in Hz. @default that of the voice */
  readonly sampleRate?: number | undefined
}

/**
 * Speaks a text. Resolves once the engine has accepted the text. The bytes of the file follow during synthesis.
 * @param options.id Id of the file, for its AIGC marking.
 */
export async function speak(
  { speech, codec, semaphores, maxOutputSeconds }: Services,
  order: Pick<SpeechOrder, 'text' | 'voiceId' | 'pauses' | 'format' | 'aigc'> & SpeechChanges,
  options: WorkOptions & { readonly id: string },
): Promise<AsyncIterable<Uint8Array>> {
  const { text, voiceId, pauses, format, speed, manner, sampleRate } = order
  const { signal, id, tenant, meter } = options
  const turns = speechTurns(semaphores, tenant)
  const accepted = await speech.synthesize(
    {
      text,
      voiceId,
      pauses,
      ...(speed === undefined ? {} : { speed }),
      ...(manner === undefined ? {} : { manner }),
    },
    { signal, turns, client: { tenant, id } },
  )
  meter?.speak(text.length)
  const synthesis = atMostSeconds(accepted, maxOutputSeconds, { meter })
  const aigc = aigcValue(order.aigc, id)
  return codec.encode(synthesis.chunks, {
    format,
    pcm: synthesis.format,
    tenant,
    turns: encodingTurns(semaphores, tenant),
    signal,
    ...(aigc === undefined ? {} : { aigc }),
    ...(sampleRate === undefined ? {} : { sampleRate }),
  })
}
