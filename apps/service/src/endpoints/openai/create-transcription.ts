import type { TranscriptionStreamEvent } from '@svc-audio/core/interface'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { meterCall } from '../../http/records.ts'
import { disconnectSignal } from '../../http/response-end.ts'
import { binary, defineEndpoint, json } from '../../http/endpoint.ts'
import { keyOf } from '../../http/idempotency.ts'
import { type ReceivedUpload, receiveUpload, requireForm } from '../../http/uploads.ts'
import { eventFrame, liveFrames, sendEvents } from '../../http/streams.ts'
import { taskTraceOf } from '../../http/request.ts'
import type { Services } from '../../services.ts'
import { requireEngines } from '../../use-cases/engines/pool.ts'
import type { WorkOptions } from '../../use-cases/tasks/task.ts'
import { streamTranscription } from '../../use-cases/transcription/stream.ts'
import { type TimedTranscription, transcribeTimed } from '../../use-cases/transcription/transcribe.ts'
import { checkTranscription } from '../../use-cases/transcription/rules.ts'
import { parseBody } from '../transcriptions/create-transcription.ts'
import { noteIgnored } from './names.ts'
import { mapForm, TRANSCRIPT_FORMATS, transcriptBody, usageOf } from './transcripts.ts'

/** The form of OpenAI's transcriptions, for the document. */
const Form = z.object({
  file: binary,
  model: z.string(),
  language: z.string().optional(),
  prompt: z.string().optional(),
  keywords: z.array(z.string()).optional(),
  response_format: z.enum(TRANSCRIPT_FORMATS).optional(),
  timestamp_granularities: z.array(z.enum(['word', 'segment'])).optional(),
  stream: z.boolean().optional(),
})

const seconds = z.number().describe('Seconds')

/** A part of a recording. `verbose_json` numbers it and adds what OpenAI measures, `diarized_json` names its speaker. */
const TranscriptSegment = z.looseObject({
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
})

/** A transcription. The formats `verbose_json` and `diarized_json` have more fields. */
const Transcript = z.looseObject({
  text: z.string(),
  usage: z.object({ type: z.literal('duration'), seconds: z.int() }),
  task: z.literal('transcribe').optional(),
  language: z.string().optional().describe('In English: `german`'),
  duration: seconds.optional(),
  words: z.array(z.object({ word: z.string(), start: seconds, end: seconds })).optional(),
  segments: z.array(TranscriptSegment).optional(),
})

/** `POST /openai/v1/audio/transcriptions`. */
export const CREATE_OPENAI_TRANSCRIPTION = defineEndpoint({
  method: 'POST',
  path: '/openai/v1/audio/transcriptions',
  operationId: 'createOpenaiTranscription',
  tag: 'openai',
  summary: 'Transcribes an uploaded file, as OpenAI does',
  description:
    'An addition to the interface. `prompt` and `keywords` are keyterms. Ignored parameters are named in `x-ignored-parameters`.',
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  usage: 'transcription',
  bodies: { 'multipart/form-data': Form },
  content: { ...json(Transcript), 'text/plain': z.string(), 'text/vtt': z.string(), 'text/event-stream': z.string() },
  errors: [400, 404, 413, 415],
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
  const { language, languages } = services.engines.recognition
  // Without a list, an engine of the operator's file may know any language.
  const isAny = services.engines.named.length > 0 && languages === undefined && language === undefined
  const known = languages ?? [language]
  const form = mapForm(fields, language, (primary) => isAny || known.includes(primary))
  const { model, work, stream } = checkTranscription(parseBody(form.body), path !== undefined, services)
  if (path === undefined) throw new TypeError('A checked form has a file')
  noteIgnored(reply, form.ignored)
  if (!stream) {
    const meter = meterCall(services, reply, 'transcription')
    const timed = await transcribeTimed(services, path, work, { ...options, model, language: form.language, meter })
    const { type, body } = transcriptBody(timed, form, language)
    return reply.type(type).send(body)
  }
  const streamed = { path, model, work, language: form.language, trace: taskTraceOf(request), lastEvents }
  await streamTranscription(services, streamed, options, (events, taskId) => {
    request.subject = taskId
    void sendEvents(reply, liveFrames(events, services.runtime.clock, frameOf))
  })
  return reply
}

/** OpenAI's clients know no task. A comment in its place lets the response begin. */
function frameOf(event: object): string {
  const { type }: Partial<TranscriptionStreamEvent> = event
  return type === 'task.created' ? ': begun\n\n' : eventFrame(event)
}

/** Returns the events after the whole recording: the turns of speakers, if they are separated, and the text. */
function lastEvents(timed: TimedTranscription): object[] {
  return [...(timed.segments ?? []), { type: 'transcript.text.done', text: timed.text, usage: usageOf(timed) }]
}
