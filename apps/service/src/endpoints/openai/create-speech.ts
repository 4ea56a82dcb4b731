import { SPEED_MAX, SPEED_MIN } from '@svc-audio/core/interface'
import { Readable } from 'node:stream'
import type { PcmFormat } from '@svc-audio/core/audio'
import { type BaseVoice, UnspeakableTextError, type VoiceManner } from '@svc-audio/engine-ports'
import { speakable } from '@svc-audio/text'
import { z } from 'zod'
import { contentTypeOf } from '../../domain/formats.ts'
import { invalid } from '../../domain/service-error.ts'
import { disconnectSignal } from '../../http/response-end.ts'
import { AUDIO, defineEndpoint, named } from '../../http/endpoint.ts'
import { holdKey, idempotencyOf } from '../../http/idempotency.ts'
import { audioFrames, sendAudio, sendEvents, started } from '../../http/streams.ts'
import type { Services } from '../../services.ts'
import { makeAudio } from '../../use-cases/speech/audio-result.ts'
import { encodeSpeech, type FileOptions, speak, type SpeechChanges } from '../../use-cases/speech/speak.ts'
import { checkSpeech, checkSpeed, type SpeechOrder } from '../../use-cases/speech/rules.ts'
import { meteredWork } from '../audio-endpoint.ts'
import { limitsOf } from '../speech/create-speech.ts'
import { ignoredOf, modelOf, noteIgnored, SPEECH_PARAMETERS, voiceOf } from './names.ts'

/** The sample rate of OpenAI's `pcm`, in Hz. Its clients expect it, because nothing in the response names it. */
const PCM_RATE = 24_000

/** The body of OpenAI's speech: the types only. Clients also send `null` for an absent field. */
const Body = z.looseObject({
  model: z.string(),
  input: z.string().nullish(),
  voice: z
    .union([z.string(), named('OpenaiVoice', z.looseObject({ id: z.string() }))], 'must be the id of a voice')
    .nullish(),
  instructions: z.string().nullish(),
  response_format: z.string().nullish(),
  speed: z.number().meta({ minimum: SPEED_MIN, maximum: SPEED_MAX }).nullish(),
  stream_format: z.string().nullish(),
})

/** A parsed body. */
type Body = z.infer<typeof Body>

/** A checked request. */
interface Order extends Pick<SpeechOrder, 'text' | 'voiceId' | 'pauses' | 'format' | 'aigc'>, SpeechChanges {
  readonly events: boolean
  readonly ignored: readonly string[]
}

/** `POST /openai/v1/audio/speech`. */
export const CREATE_OPENAI_SPEECH = defineEndpoint({
  method: 'POST',
  path: '/openai/v1/audio/speech',
  operationId: 'createOpenaiSpeech',
  tag: 'openai',
  summary: 'Speaks a text, as OpenAI does',
  description:
    'An addition to the interface. Takes our voices and models, and the names of OpenAI. Ignored parameters are named in `x-ignored-parameters`.',
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  usage: 'speech',
  body: Body,
  examples: [{ model: 'tts-1', input: 'Good morning.', voice: 'alloy' }],
  content: { ...AUDIO, 'text/event-stream': z.string() },
  errors: [400, 404, 409, 413, 415],
  handle:
    ({ services }) =>
    async (request, reply) => {
      const { body, tenant } = request
      const signal = disconnectSignal(reply, services.runtime.stopping)
      const idempotency = await idempotencyOf(request, body)
      const { events, ignored, ...order } = await checkBody(services, body, tenant)
      noteIgnored(reply, ignored)
      await holdKey(reply, services.stores.keysInFlight, { tenant, idempotency })
      const work = meteredWork(services, reply, {
        object: 'audio.speech',
        idPrefix: 'speech',
        format: order.format,
        signal,
        // A repeated request gets identical bytes, so nothing in them depends on time.
        live: idempotency === undefined,
        perform: (options) => speakOrPause(services, order, options),
      })
      const audio = await makeAudio(services, work, { tenant, idempotency })
      if (events) return sendEvents(reply, audioFrames(await started(audio)))
      if (order.format === 'pcm') reply.header('x-sample-rate', PCM_RATE)
      return sendAudio(reply, audio, contentTypeOf(order.format))
    },
})

/**
 * Checks a body by the rules of our own speech.
 * @throws ServiceError naming code and field
 */
async function checkBody(services: Services, body: Body, tenant: string): Promise<Order> {
  const { aliases, readsMarkdown } = services.settings.openai
  const { voices } = services.engines.speech
  const asked = typeof body.voice === 'object' ? body.voice?.id : body.voice
  // Bridges for LocalAI send the model as the voice.
  const voice = asked === body.model && !aliases.has(body.model) ? voices[0]?.id : asked
  const voiceId = voice === undefined || voice === null ? undefined : voiceOf(voice, voices, aliases)
  const own = {
    model: modelOf(body.model),
    // White space is nothing to speak, as a lone emoji is. An absent text is a mistake.
    input: body.input === '' ? undefined : (body.input?.replace(/^\s+$/, '.') ?? undefined),
    voice_id: voiceId,
    response_format: body.response_format ?? undefined,
  }
  const order = checkSpeech(own, await limitsOf(services, tenant, own))
  const speed = body.speed ?? undefined
  checkSpeed(speed)
  const streamFormat = body.stream_format ?? 'audio'
  if (streamFormat !== 'audio' && streamFormat !== 'sse') {
    throw invalid('invalid_value', 'stream_format', 'stream_format must be audio or sse')
  }
  const manner = mannerOf(services, order.voiceId, body.instructions ?? '')
  const { pauses, format, aigc } = order
  const language = voices.find(({ id }) => id === order.voiceId)?.language
  const isBlank = (body.input ?? '').trim() === ''
  const text = isBlank ? '' : readsMarkdown ? spokenText(order.text, language) : order.text
  const given = Object.keys(body).filter((name) => body[name] !== null)
  const deaf = (body.instructions ?? '') !== '' && manner === undefined
  return {
    text,
    voiceId: order.voiceId,
    pauses,
    format,
    aigc,
    speed,
    manner,
    sampleRate: PCM_RATE,
    events: streamFormat === 'sse',
    ignored: [...ignoredOf(given, SPEECH_PARAMETERS), ...(deaf ? ['instructions'] : [])],
  }
}

/** Indentation, which would make code of a line. */
const INDENT = /^[ \t]+/gm

/** Reads Markdown, addresses and emoji as a reader would. */
function spokenText(text: string, language: string | undefined): string {
  return speakable(text.replaceAll(INDENT, ''), language === undefined ? {} : { language })
}

/** What is spoken for a text without words. */
const SILENCE_FORMAT: PcmFormat = { sampleRate: PCM_RATE, channels: 1, bitDepth: 16 }
const SILENCE_SECONDS = 0.25

/** Speaks a text. A text with nothing to speak is a short silence: an error would end a conversation. */
async function speakOrPause(
  services: Services,
  order: Omit<Order, 'events' | 'ignored'>,
  options: FileOptions,
): Promise<AsyncIterable<Uint8Array>> {
  try {
    if (order.text.trim() !== '') return await speak(services, order, options)
  } catch (error) {
    if (!(error instanceof UnspeakableTextError)) throw error
  }
  const chunks = [new Uint8Array(SILENCE_FORMAT.sampleRate * 2 * SILENCE_SECONDS)]
  const silence = { format: SILENCE_FORMAT, chunks: Readable.from(chunks) }
  return encodeSpeech(services, silence, { ...order, characters: order.text.length }, options)
}

/**
 * Finds how instructions change a voice, by voice design.
 * @returns `undefined` for a voice that cannot be changed, and for instructions that name no trait of a voice
 */
function mannerOf(
  { engines: { speech, designer } }: Services,
  id: string,
  instructions: string,
): VoiceManner | undefined {
  if (instructions.trim() === '') return undefined
  const [base]: BaseVoice[] = speech.voices.flatMap((voice) =>
    voice.id === id && voice.traits !== undefined ? [{ id, traits: voice.traits }] : [],
  )
  return base && designer.adjust?.(instructions, base)
}
