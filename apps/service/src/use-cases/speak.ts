import type { SpeechResult } from '@svc-audio/core/pure'
import { aigcValue } from '../domain/aigc.ts'
import { contentTypeOf } from '../domain/formats.ts'
import { newId, unixSeconds } from '../domain/ids.ts'
import type { Services } from '../services.ts'
import type { SpeechOrder } from './speech-rules.ts'

/** Speaks a text. Resolves once the engine has accepted it; the file's bytes follow as they are made. */
export async function speak(
  { speech, codec }: Services,
  order: SpeechOrder,
  options: { readonly id: string; readonly signal: AbortSignal },
): Promise<AsyncIterable<Uint8Array>> {
  const { text, voiceId, pauses, format } = order
  const { signal, id } = options
  const synthesis = await speech.synthesize({ text, voiceId, pauses }, { signal })
  const aigc = aigcValue(order.aigc, id)
  return codec.encode(synthesis.chunks, {
    format,
    pcm: synthesis.format,
    signal,
    ...(aigc === undefined ? {} : { aigc }),
  })
}

/** Speaks a text, keeps the file and answers with its URL (interface: Speech result). */
export async function speakToUrl(services: Services, order: SpeechOrder, signal: AbortSignal): Promise<SpeechResult> {
  const id = newId('speech')
  const name = `${id}.${order.format}`
  await services.results.put(name, await speak(services, order, { id, signal }))
  return {
    id,
    object: 'audio.speech',
    status: 'SUCCESS',
    url: services.links.create(name),
    response_format: order.format,
    content_type: contentTypeOf(order.format),
    created_at: unixSeconds(),
  }
}
