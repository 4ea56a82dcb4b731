import { z } from 'zod'
import { FORMATS, requireFormat } from '../../domain/formats.ts'
import { requireModel } from '../../domain/models.ts'
import { invalid } from '../../domain/service-error.ts'
import type { Services } from '../../services.ts'
import { hasPauseMarkers, refuseSsml, requireDelivery, SpeechBody, TaskFields } from '../../use-cases/speech/rules.ts'
import { checkTask } from '../../use-cases/tasks/accept.ts'
import { generateVoice } from '../../use-cases/speech/speak.ts'
import { baseVoices } from '../../use-cases/voices.ts'
import { type AudioOrder, defineAudioEndpoint } from '../audio-endpoint.ts'

/** Longest `instruction`, in characters. */
const MAX_INSTRUCTION_CHARACTERS = 2000

/** The types of the body. */
const Body = SpeechBody.pick({
  model: true,
  input: true,
  response_format: true,
  delivery_method: true,
  async: true,
  webhook_url: true,
}).extend({ instruction: z.string().optional() })

/** The request as a task stores it. */
const Request = z.object({ text: z.string(), instruction: z.string(), format: z.enum(FORMATS) })

/** `POST /v1/audio/voice/generations` (interface: generate voice). */
export const GENERATE_VOICE = defineAudioEndpoint({
  path: '/v1/audio/voice/generations',
  operationId: 'generateVoice',
  tag: 'voices',
  summary: 'Speaks a text in a voice that is described in words',
  description:
    '`instruction` describes the voice: age, mood, pace. The answer is audio, a link or a task. To use the voice again, create a voice from the audio.',
  rules: ['voice-generation'],
  object: 'audio.voice_generation',
  engine: 'speech',
  idPrefix: 'generation',
  body: Body,
  documentedBody: TaskFields.extend({ input: z.string(), instruction: z.string() }),
  examples: [{ model: 'svc-voice-generator-1.0', input: 'Good morning.', instruction: 'An old man, slow and calm' }],
  request: Request,
  characters: ({ text }) => text.length,
  check: (services, body) => checkBody(body, services),
  perform: generateVoice,
})

function checkBody(
  body: z.infer<typeof Body>,
  { settings: { maxInputCharacters, webhooks }, engines: { speech } }: Services,
): AudioOrder & z.infer<typeof Request> {
  requireModel(body.model, 'voice generation')
  baseVoices(speech, 'instruction')
  const task = checkTask(body, webhooks)
  const text = requireText(body.input, 'input', maxInputCharacters)
  refuseSsml(text, 'input')
  if (hasPauseMarkers(text))
    throw invalid('unsupported_for_model', 'input', `${body.model} does not support pause markers`)
  return {
    model: body.model,
    text,
    instruction: requireText(body.instruction, 'instruction', MAX_INSTRUCTION_CHARACTERS),
    format: requireFormat(body.response_format),
    delivery: requireDelivery(body.delivery_method),
    task,
  }
}

function requireText(text: string | undefined, field: string, maxCharacters: number): string {
  if (text === undefined || text.trim() === '') {
    throw invalid('missing_required_field', field, `${field} is required and must not be empty`)
  }
  if (text.length > maxCharacters) {
    throw invalid('input_too_long', field, `${field} must have at most ${maxCharacters} characters, got ${text.length}`)
  }
  return text
}
