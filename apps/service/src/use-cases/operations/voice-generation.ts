import { z } from 'zod'
import { FORMATS } from '../../domain/formats.ts'
import { generateVoice } from '../voices/voice-generation.ts'
import {
  checkVoiceGeneration,
  DocumentedVoiceGenerationBody,
  VoiceGenerationBody,
} from '../voices/voice-generation-rules.ts'
import { defineAudioOperation } from './audio-operation.ts'

/** `POST /v1/audio/voice/generations` (interface: generate voice). */
export const VOICE_GENERATION = defineAudioOperation({
  path: '/v1/audio/voice/generations',
  object: 'audio.voice_generation',
  engine: 'speech',
  idPrefix: 'generation',
  notes: {
    operationId: 'generateVoice',
    tag: 'voices',
    summary: 'Speaks a text in a voice that is described in words',
    description:
      '`instruction` describes the voice: age, mood, pace. The answer is audio, a link or a task. To use the voice again, create a voice from the audio.',
    body: DocumentedVoiceGenerationBody,
  },
  body: VoiceGenerationBody,
  request: z.object({ text: z.string(), instruction: z.string(), format: z.enum(FORMATS) }),
  characters: ({ text }) => text.length,
  check: (services, body) => checkVoiceGeneration(body, services),
  perform: generateVoice,
  showsModel: true,
})
