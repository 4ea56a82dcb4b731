import type { TranscriptionStreamEvent } from '@svc-audio/core/interface'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { meterCall } from '../../http/records.ts'
import { disconnectSignal } from '../../http/response-end.ts'
import { binary, defineEndpoint, json, named } from '../../http/endpoint.ts'
import { holdKey, idempotencyOf, keyOf } from '../../http/idempotency.ts'
import { type ReceivedUpload, receiveUpload, requireForm } from '../../http/uploads.ts'
import { eventFrame, liveFrames, sendEvents } from '../../http/streams.ts'
import { taskTraceOf } from '../../http/request.ts'
import type { Services } from '../../services.ts'
import { requireEngines } from '../../use-cases/engines/pool.ts'
import { repeatableWork } from '../../use-cases/idempotency.ts'
import type { WorkOptions } from '../../use-cases/tasks/task.ts'
import { streamTranscription } from '../../use-cases/transcription/stream.ts'
import { transcribeTimed } from '../../use-cases/transcription/transcribe.ts'
import { checkTranscription } from '../../use-cases/transcription/rules.ts'
import { parseBody, tellingEarlyEnd } from '../transcriptions/create-transcription.ts'
import { noteIgnored } from './names.ts'
import { languageCheck } from './languages.ts'
import { mapForm, TRANSCRIPT_FORMATS, transcriptBody } from './transcripts.ts'
import { streamedTranscript } from './streamed-transcripts.ts'

/** The form of OpenAI's transcriptions, for the document. */
const Form = z.object({
  file: binary,
  model: z.string(),
  language: z.string().optional(),
  prompt: z.string().optional(),
  temperature: z.number().optional(),
  keywords: z.array(z.string()).optional(),
  response_format: z.enum(TRANSCRIPT_FORMATS).optional(),
  timestamp_granularities: z.array(z.enum(['word', 'segment'])).optional(),
  stream: z.boolean().optional(),
})

const seconds = z.number().describe('Seconds')

/** A part of a recording. `verbose_json` numbers it and adds what OpenAI measures, `diarized_json` names its speaker. */
const TranscriptSegment = named(
  'OpenaiTranscriptSegment',
  z.looseObject({
    id: z.union([z.int(), z.string()]),
    start: seconds,
    end: seconds,
    text: z.string(),
    type: z.string().optional(),
    speaker: z.string().optional().describe('As S01'),
    seek: z.int().optional(),
    tokens: z.array(z.int()).optional(),
    temperature: z.number().optional(),
    avg_logprob: z.number().optional(),
    compression_ratio: z.number().optional(),
    no_speech_prob: z.number().optional(),
  }),
)

/** A transcription. The formats `verbose_json` and `diarized_json` have more fields. */
const Transcript = named(
  'OpenaiTranscript',
  z.looseObject({
    text: z.string(),
    usage: named('OpenaiUsage', z.object({ type: z.literal('duration'), seconds: z.int() })),
    task: z.literal('transcribe').optional(),
    language: z.string().optional().describe('In English: `german`'),
    duration: seconds.optional(),
    words: z.array(named('OpenaiWord', z.object({ word: z.string(), start: seconds, end: seconds }))).optional(),
    segments: z.array(TranscriptSegment).optional(),
  }),
)

/** `POST /openai/v1/audio/transcriptions`. */
export const CREATE_OPENAI_TRANSCRIPTION = defineEndpoint({
  method: 'POST',
  path: '/openai/v1/audio/transcriptions',
  operationId: 'createOpenaiTranscription',
  tag: 'openai',
  summary: 'Transcribes an uploaded file, as OpenAI does',
  description:
    'An addition to the interface. `keywords` are keyterms, and so are the phrases of a `prompt` where the recognizer takes none. Ignored parameters are named in `x-ignored-parameters`.',
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  usage: 'transcription',
  bodies: { 'multipart/form-data': Form },
  content: { ...json(Transcript), 'text/plain': z.string(), 'text/vtt': z.string(), 'text/event-stream': z.string() },
  errors: [400, 404, 409, 413, 415],
  onRequest: requireForm('file', 'Send the recording as multipart/form-data'),
  handle:
    ({ services }) =>
    async (request, reply) => {
      const { tenant } = request
      const signal = disconnectSignal(reply, services.runtime.stopping)
      const upload = await receiveUpload(request, 'file', {
        folder: services.objects.uploadFolder,
        signal,
        maxBytes: services.settings.maxUploadBytes,
        meter: services.objects.inFlight.meter(tenant, { key: keyOf(request) }),
        beforeFile: () => requireEngines('recognition', NOTHING_MORE, services.engines.states),
      })
      try {
        return await sendTranscript(services, upload, { request, reply, tenant, signal })
      } finally {
        await upload.dispose()
      }
    },
})

/** The work that every transcription needs. */
const NOTHING_MORE = { diarize: false, keyterms: [] }

async function sendTranscript(
  services: Services,
  { fields, path }: ReceivedUpload,
  { request, reply, ...options }: WorkOptions & { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<unknown> {
  const { language, featuresFor } = services.engines.recognition
  const form = mapForm(fields, {
    language,
    recognizes: languageCheck(services),
    features: (recording) => featuresFor?.(recording) ?? [],
  })
  const { model, work, stream } = checkTranscription(parseBody(form.body), path !== undefined, services)
  if (path === undefined) throw new TypeError('A checked form has a file')
  noteIgnored(reply, form.ignored)
  const { prompt, temperature } = form
  const how = { model, language: form.language, prompt, temperature }
  const terms = { tenant: options.tenant, idempotency: await idempotencyOf(request, fields, path) }
  await holdKey(reply, services.stores.keysInFlight, terms)
  const { isRepeated, succeeded } = await repeatableWork(services, terms)
  if (!stream) {
    const meter = isRepeated ? undefined : meterCall(services, reply, 'transcription')
    const timed = await transcribeTimed(services, path, work, { ...options, ...how, meter, ...tellingEarlyEnd(reply) })
    await succeeded()
    const { type, body } = transcriptBody(timed, form, language)
    return reply.type(type).send(body)
  }
  const trace = taskTraceOf(request)
  const streamed = { path, work, ...how, trace, isRepeated, ...streamedTranscript(form, language) }
  const isWhole = await streamTranscription(services, streamed, options, (events, taskId) => {
    request.subject = taskId
    void sendEvents(reply, liveFrames(events, services.runtime.clock, frameOf))
  })
  if (isWhole) await succeeded()
  return reply
}

/** OpenAI's clients know no task. A comment in its place lets the response begin. */
function frameOf(event: object): string {
  const { type }: Partial<TranscriptionStreamEvent> = event
  return type === 'task.created' ? ': begun\n\n' : eventFrame(event)
}
