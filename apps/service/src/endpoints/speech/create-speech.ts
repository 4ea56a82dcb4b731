import { z } from 'zod'
import { FORMATS } from '../../domain/formats.ts'
import type { Services } from '../../services.ts'
import { AigcMetadata, checkSpeech, checkStream, SpeechBody, type SpeechLimits } from '../../use-cases/speech/rules.ts'
import { speak } from '../../use-cases/speech/speak.ts'
import { streamSpeech } from '../../use-cases/speech/stream.ts'
import { requireVoices, speakableVoices } from '../../use-cases/voices.ts'
import { defineAudioEndpoint } from '../audio-endpoint.ts'

/** Returns the limits and voices for a tenant. */
export async function limitsOf(
  services: Services,
  tenant: string,
  body: Pick<SpeechBody, 'voice_id'>,
): Promise<SpeechLimits> {
  const { maxInputCharacters, maxOutputSeconds, webhooks } = services.settings
  const voices = await speakableVoices(services, tenant, [body.voice_id])
  return { voices, maxInputCharacters, maxOutputSeconds, webhooks }
}

/** `POST /v1/audio/speech` (interface: single speaker, streaming speech). */
export const CREATE_SPEECH = defineAudioEndpoint({
  path: '/v1/audio/speech',
  operationId: 'createSpeech',
  tag: 'speech',
  summary: 'Speaks a text: as audio, as a URL, as a stream of PCM or events, or as a task',
  description:
    'With `async` the response is a task, with `delivery_method: url` a link that expires, else the audio. With `stream` the audio comes while it is made, as raw PCM or as events. An `Idempotency-Key` makes a repetition safe.',
  rules: ['speech', 'stream', 'speech-events'],
  object: 'audio.speech',
  engine: 'speech',
  idPrefix: 'speech',
  body: SpeechBody,
  examples: [
    { model: 'svc-tts-1.5-flash', input: 'Good morning.', voice_id: 'rms' },
    { model: 'svc-tts-1.5-flash', input: 'Good morning.', voice_id: 'rms', delivery_method: 'url' },
    { model: 'svc-tts-1.5-flash', input: 'Good morning.', voice_id: 'rms', async: true },
  ],
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
