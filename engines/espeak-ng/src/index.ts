import type { EngineKind } from '@svc-audio/engine-ports'
import { defineEngineKind } from '@svc-audio/engine-ports/kind'
import { z } from 'zod'
import { automaticVoice, createEspeakEngine } from './espeak-engine.ts'

export { createEspeakDriver, createEspeakEngine, type EspeakOptions } from './espeak-engine.ts'

const keys = z.strictObject({
  program: z.string().min(1).optional().describe('Name of the program on PATH, or its path. Default: espeak-ng'),
  idPrefix: z
    .string()
    .regex(/^[\w.-]{1,50}$/, 'must have letters, digits, dots, dashes and underscores only')
    .optional()
    .describe('Start of the public voice ids. Default: espeak-'),
  languages: z
    .array(z.string().regex(/^[A-Za-z]{2,3}(-\w+)*$/, 'must be a language tag such as de or pt-BR'))
    .min(1)
    .optional()
    .describe('Only voices of these languages, as BCP 47 tags. Default: all'),
  variant: z
    .string()
    .regex(/^\w{1,30}$/, 'must have letters and digits only')
    .optional()
    .describe('A variant of the program that changes every voice, e.g. f3. Default: none'),
})

/** The kind `espeak-ng` for the file of engines. */
export const engineKind: EngineKind = defineEngineKind({
  driver: 'espeak-ng',
  keys,
  create: (given, { name }) => ({
    speech: {
      name,
      voices: [automaticVoice(given)],
      create: ({ signal }) => createEspeakEngine({ ...given, name, signal }),
    },
  }),
})
