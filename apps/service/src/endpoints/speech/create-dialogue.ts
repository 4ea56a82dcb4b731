import { z } from 'zod'
import { FORMATS } from '../../domain/formats.ts'
import { checkDialogue, DialogueBody, DocumentedDialogueBody, speakDialogue } from '../../use-cases/dialogue.ts'
import { AigcMetadata } from '../../use-cases/speech/rules.ts'
import { requireVoices, speakableVoices } from '../../use-cases/voices.ts'
import { defineAudioEndpoint } from '../audio-endpoint.ts'

/** Maximum bytes of the body per character: the longest text may consist of very short lines, each with its speaker. */
const BYTES_A_CHARACTER = 64
const REST_BYTES = 64 * 1024

/** `POST /v1/audio/speech/speakers` (interface: multi-speaker). */
export const CREATE_DIALOGUE = defineAudioEndpoint({
  path: '/v1/audio/speech/speakers',
  operationId: 'createDialogue',
  tag: 'speech',
  summary: 'Speaks a dialogue between several voices',
  description:
    'Each segment names a speaker, and each speaker a voice. The response is audio, a link or a task, as for speech.',
  rules: ['dialogue'],
  object: 'audio.speech',
  engine: 'speech',
  idPrefix: 'speech',
  body: DialogueBody,
  documentedBody: DocumentedDialogueBody,
  examples: [
    {
      model: 'svc-ttsd-1.0',
      speakers: [
        { id: 'ann', voice_id: 'slt' },
        { id: 'ben', voice_id: 'rms' },
      ],
      segments: [
        { speaker: 'ann', text: 'Good morning.' },
        { speaker: 'ben', text: 'Good morning, Ann.' },
      ],
    },
  ],
  bodyLimit: ({ settings: { maxInputCharacters } }) => maxInputCharacters * BYTES_A_CHARACTER + REST_BYTES,
  request: z.object({
    lines: z.array(z.object({ speaker: z.string(), voiceId: z.string(), text: z.string() })).readonly(),
    format: z.enum(FORMATS),
    aigc: AigcMetadata.optional(),
  }),
  characters: ({ lines }) => lines.reduce((sum, { text }) => sum + text.length, 0),
  async check(services, body, tenant) {
    const { maxInputCharacters, webhooks } = services.settings
    const ids = body.speakers.map((speaker) => speaker.voice_id)
    const voices = await speakableVoices(services, tenant, ids)
    return checkDialogue(body, { voices, maxInputCharacters, webhooks })
  },
  recheck: (services, { lines }, tenant) =>
    requireVoices(services, tenant, [...new Set(lines.map(({ voiceId }) => voiceId))]),
  perform: (services, { aigc, ...order }, options) => speakDialogue(services, { ...order, aigc }, options),
})
