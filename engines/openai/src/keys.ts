import { z } from 'zod'

const seconds = (max: number): z.ZodNumber => z.number().positive().max(max)
const language = z.string().regex(/^[a-z]{2,3}$/, 'must be a primary language tag, as de')

/** A voice of the entry. */
const Voice = z.strictObject({
  id: z.string().min(1).max(100).describe('The public id, the value of `voice_id`'),
  voice: z.string().min(1).optional().describe('The name at the server (default: the id)'),
  name: z.string().min(1).optional().describe('A name for people (default: the id)'),
  language: language.default('en').describe('Language of the voice, a primary tag'),
  languages: z.array(language).optional().describe('All languages of the voice (default: its language)'),
  gender: z.enum(['female', 'male', 'neutral']).optional(),
  description: z.string().min(1).optional().describe('A sentence about the voice'),
})

const Speech = z.strictObject({
  model: z.string().min(1).describe('Model of the server'),
  voices: z.array(Voice).min(1).optional().describe('Voices (default: those that the server lists)'),
  voiceLanguage: language.default('en').describe('Language of the voices that the server lists'),
  format: z.enum(['wav', 'pcm']).default('wav').describe('Audio format between the service and the server'),
  sampleRate: z.int().min(8000).max(48_000).default(24_000).describe('Sample rate of the audio of the server, in Hz'),
  speed: z
    .enum(['service', 'server'])
    .default('service')
    .describe('Who changes the speed: the server where it follows `speed`, or the service, which keeps the pitch'),
  ahead: z.int().min(1).max(16).default(2).describe('Sentences of a text that are requested ahead of its reader'),
  extra: z.record(z.string(), z.json()).optional().describe('Further fields of each request, as `lang_code`'),
})

const Recognition = z.strictObject({
  model: z.string().min(1).describe('Model of the server'),
  transcripts: z
    .enum(['words', 'segments', 'text', 'speakers'])
    .default('words')
    .describe(
      'What the model returns at most: times of words, times of segments, text alone, or segments with their speakers',
    ),
  maxBytes: z.int().min(100_000).default(25_000_000).describe('Largest file of a request, in bytes'),
  maxSeconds: seconds(7200)
    .min(5)
    .optional()
    .describe('Longest recording of a request, in seconds (default: 60, or 600 with speakers)'),
  keyterms: z.enum(['prompt', 'hotwords', 'none']).default('prompt').describe('Field for keyterms'),
  path: z.string().startsWith('/').default('/audio/transcriptions').describe('Path behind `baseUrl`'),
  extra: z.record(z.string(), z.string()).optional().describe('Further fields of each request'),
})

const Diarization = z.strictObject({
  model: z.string().min(1).describe('Model of the server'),
  maxSeconds: seconds(14_400)
    .min(20)
    .default(1800)
    .describe('Longest recording of a request, in seconds. Longer ones are sent in parts that overlap'),
  path: z.string().startsWith('/').default('/audio/diarization').describe('Path behind `baseUrl`'),
  extra: z.record(z.string(), z.string()).optional().describe('Further fields of each request'),
})

/** The keys of an entry with the driver `openai`. */
export const OpenAiKeys = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/ }).describe('Address of the API, as http://127.0.0.1:8880/v1'),
  apiKeyVariable: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable')
    .optional()
    .describe('Environment variable with the API key (default: no key)'),
  timeouts: z
    .strictObject({
      connectSeconds: seconds(600).default(10).describe('Longest wait for the connection'),
      answerSeconds: seconds(3600)
        .default(600)
        .describe('Longest wait for the answer: a server may load its model first'),
      idleSeconds: seconds(3600).default(120).describe('Longest wait between two pieces of the response'),
    })
    .prefault({}),
  retries: z
    .int()
    .min(0)
    .max(20)
    .default(3)
    .describe('Retries of a request that the server has refused with 429 or 503'),
  requestsPerMinute: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe('Maximum requests that start within a minute; further ones wait (default: no limit)'),
  speech: Speech.optional().describe('What the server speaks (default: nothing)'),
  recognition: Recognition.optional().describe('What the server recognizes (default: nothing)'),
  diarization: Diarization.optional().describe('How the server tells speakers apart (default: it does not)'),
})

/** A checked entry. */
export type OpenAiKeys = z.infer<typeof OpenAiKeys>

/** The speech keys of a checked entry. */
export type SpeechKeys = z.infer<typeof Speech>

/** The recognition keys of a checked entry. */
export type RecognitionKeys = z.infer<typeof Recognition>

/** The diarization keys of a checked entry. */
export type DiarizationKeys = z.infer<typeof Diarization>
