import type { PcmFormat } from '@svc-audio/core/audio'
import type { ApiResponse, Fields } from '../http/response.ts'
import { eventsOf, readEvents, theEvent } from '../http/events.ts'
import { SAID, voiceId } from './fixtures.ts'
import { accept } from './requests.ts'
import { shared } from './shared.ts'
import type { Subject } from './subject.ts'

/** The same speech as raw PCM and as events. */
export interface StreamedSpeech {
  readonly raw: ApiResponse
  readonly events: readonly Fields[]
}

/** Streams {@link SAID} in the first listed voice, in both formats. */
export const streamedSpeech: (subject: Subject) => Promise<StreamedSpeech> = shared(async (subject) => {
  const changes = { input: SAID, voice_id: await voiceId(subject) }
  const raw = await accept(subject, 'stream', { ...changes, stream_format: 'audio' })
  const events = readEvents(await accept(subject, 'stream', { ...changes, stream_format: 'sse' }))
  return { raw, events }
})

/** Reads the headers of raw PCM. A missing header is 0. */
export function pcmLayout({ headers }: ApiResponse): PcmFormat {
  const read = (name: string): number => Number(headers.get(name))
  return { sampleRate: read('x-sample-rate'), channels: read('x-channels'), bitDepth: read('x-bit-depth') }
}

/** Reads the layout in `speech.created`. @throws Violation unless exactly one exists */
export function eventLayout(events: readonly Fields[]): PcmFormat {
  const created = theEvent(events, 'speech.created')
  const read = (name: string): number => Number(created[name])
  return { sampleRate: read('sample_rate'), channels: read('channels'), bitDepth: read('bit_depth') }
}

/** Returns the PCM of a stream's events. */
export function eventPcm(events: readonly Fields[]): Uint8Array {
  return Buffer.concat(eventsOf(events, 'speech.audio.delta').map(({ audio }) => Buffer.from(String(audio), 'base64')))
}
