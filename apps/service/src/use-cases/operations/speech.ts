import { z } from 'zod'
import { FORMATS } from '../../domain/formats.ts'
import type { Services } from '../../services.ts'
import { AigcMetadata, SpeechBody } from '../speech/speech-body.ts'
import { checkSpeech, checkStream, type SpeechLimits } from '../speech/speech-rules.ts'
import { speak } from '../speech/speak.ts'
import { streamSpeech } from '../speech/stream-speech.ts'
import { requireVoices, speakableVoices } from '../voices/voices.ts'
import { defineAudioOperation } from './audio-operation.ts'

/** Returns the limits and voices for a tenant. */
async function limitsOf(services: Services, tenant: string, body: SpeechBody): Promise<SpeechLimits> {
  const { maxInputCharacters, maxOutputSeconds, webhooks } = services
  const voices = await speakableVoices(services, tenant, [body.voice_id])
  return { voices, maxInputCharacters, maxOutputSeconds, webhooks }
}

/** `POST /v1/audio/speech` (interface: single speaker, streaming speech). */
export const SPEECH = defineAudioOperation({
  path: '/v1/audio/speech',
  object: 'audio.speech',
  engine: 'speech',
  idPrefix: 'speech',
  notes: {
    operationId: 'createSpeech',
    tag: 'speech',
    summary: 'Speaks a text: as audio, as a URL, as a stream of PCM or events, or as a task',
    description:
      'With `async` the answer is a task, with `delivery_method: url` a link that expires, else the audio. With `stream` the audio comes while it is made, as raw PCM or as events. An `Idempotency-Key` makes a repetition safe.',
  },
  body: SpeechBody,
  request: z.object({
    text: z.string(),
    pauses: z.boolean(),
    voiceId: z.string(),
    format: z.enum(FORMATS),
    aigc: AigcMetadata.optional(),
  }),
  characters: ({ text }) => text.length,
  check: async (services, body, tenant) => checkSpeech(body, await limitsOf(services, tenant, body)),
  stream: {
    check: async (services, body: SpeechBody, tenant) => checkStream(body, await limitsOf(services, tenant, body)),
    begin: streamSpeech,
  },
  recheck: (services, { voiceId }, tenant) => requireVoices(services, tenant, [voiceId]),
  perform: (services, { aigc, ...order }, options) => speak(services, { ...order, aigc }, options),
})
