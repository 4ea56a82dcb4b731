import { z } from 'zod'
import { invalid } from '../../domain/service-error.ts'
import { disconnectSignal } from '../../http/response-end.ts'
import { binary, defineEndpoint, json } from '../../http/endpoint.ts'
import { type ReceivedUpload, receiveUpload, requireForm } from '../../http/uploads.ts'
import { holdKey, idempotencyOf, keyOf } from '../../http/idempotency.ts'
import { createVoice, invalidSample, MAX_SAMPLE_BYTES, type VoiceOrder } from '../../use-cases/voices.ts'
import { VoiceResponse } from './list-voices.ts'

/** Refuses every body except a form (interface: Create voice), before the body is read. */
const refuseOtherMedia = requireForm('audio_sample', 'Send the voice sample as multipart/form-data')

/** `POST /v1/audio/voices` (interface: Create voice). */
export const CREATE_VOICE = defineEndpoint({
  method: 'POST',
  path: '/v1/audio/voices',
  operationId: 'createVoice',
  tag: 'voices',
  summary: 'Makes a voice from a sample',
  description: 'The sample has 1 s to 5 min of speech and at most 20 MB. The voice follows its pitch and tempo.',
  rules: ['voice-creation'],
  usage: 'voices',
  bodies: {
    'multipart/form-data': z.object({
      audio_sample: binary,
      name: z.string().optional(),
      description: z.string().optional(),
    }),
  },
  content: json(VoiceResponse),
  errors: [400, 409, 415],
  onRequest: refuseOtherMedia,
  handle:
    ({ services }) =>
    async (request, reply) => {
      const { tenant } = request
      const signal = disconnectSignal(reply, services.runtime.stopping)
      const upload = await receiveUpload(request, 'audio_sample', {
        folder: services.objects.uploadFolder,
        signal,
        maxBytes: MAX_SAMPLE_BYTES,
        meter: services.objects.inFlight.meter(tenant, { key: keyOf(request) }),
        tooLarge: () => invalidSample('audio_sample must have at most 20 MB'),
      })
      try {
        const order = checkCreation(upload)
        const idempotency = await idempotencyOf(request, upload.fields, order.path)
        await holdKey(reply, services.stores.keysInFlight, { tenant, idempotency })
        return await createVoice(services, order, { tenant, idempotency, signal })
      } finally {
        await upload.dispose()
      }
    },
})

/** Sources that are not accepted (interface: Create voice). */
const OTHER_SOURCES = ['file', 'file_id', 'url', 'audio_url', 'audio_data', 'voice_url', 'voice_data']
const LONGEST_NAME = 200
const LONGEST_DESCRIPTION = 2000

function checkCreation({ fields, path }: ReceivedUpload): VoiceOrder {
  for (const field of OTHER_SOURCES) {
    if (fields[field] !== undefined) {
      throw invalid('unsupported_field', field, `${field} is not accepted: upload the sample as audio_sample`)
    }
  }
  if (path === undefined) {
    throw invalid('missing_required_field', 'audio_sample', 'audio_sample is required and must be a file')
  }
  return {
    path,
    name: shortText(fields, 'name', LONGEST_NAME),
    description: shortText(fields, 'description', LONGEST_DESCRIPTION),
  }
}

function shortText(fields: ReceivedUpload['fields'], field: string, longest: number): string {
  const value = fields[field] ?? ''
  if (typeof value !== 'string') throw invalid('invalid_type', field, `${field} must be one string`)
  if (value.length > longest) throw invalid('field_too_long', field, `${field} must have at most ${longest} characters`)
  return value
}
