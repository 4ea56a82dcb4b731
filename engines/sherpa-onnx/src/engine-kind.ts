import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import type { EngineKind, EngineParts, EntryContext, EntryFault } from '@svc-audio/engine-ports'
import { defineEngineKind } from '@svc-audio/engine-ports/kind'
import { z } from 'zod'
import { sherpaDiarization } from './diarization-engine.ts'
import {
  FAMILIES,
  isSpeakerFamily,
  isSpeechFamily,
  RECOGNITION_FAMILIES,
  SPEAKER_FAMILIES,
  SPEECH_FAMILIES,
} from './families.ts'
import { innerFolder, MissingFilesError, type ModelFiles } from './model-files.ts'
import { type AnyModelOptions, modelSettings } from './options.ts'
import { sherpaRecognition } from './recognition-engine.ts'
import { sherpaSpeech } from './speech-engine.ts'

/** Folder of the models in the service's data folder. */
const MODELS = 'models'

const tag = z.string().regex(/^[a-z]{2,3}$/, 'must be a language tag of two or three letters, e.g. en')

const voice = z.strictObject({
  id: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must have letters, digits, dots, dashes and underscores only')
    .describe('The public voice id'),
  speaker: z.int().min(0).optional().describe('Number of the speaker in the model. Default: 0'),
  name: z.string().min(1).optional().describe('A name for people. Default: the id'),
  language: tag.describe('Language of the voice'),
  gender: z.enum(['female', 'male', 'neutral']).optional().describe('How the voice sounds to people'),
  description: z.string().min(1).optional().describe('A sentence about the voice'),
  reference: z
    .string()
    .min(1)
    .optional()
    .describe(
      'WAV file of a person whose voice it has, for pocket and zipvoice: in the folder of the model, or a path',
    ),
  referenceText: z.string().min(1).optional().describe('What the person says there, for zipvoice'),
})

const keys = z.strictObject({
  family: z.enum([...SPEECH_FAMILIES, ...RECOGNITION_FAMILIES, ...SPEAKER_FAMILIES]).describe('Kind of the model'),
  model: z.string().min(1).describe('Folder of the model: its name below models in the data folder, or a path'),
  voices: z.array(voice).min(1).optional().describe('Voices of the model. Needed by voice models'),
  languages: z.array(tag).min(1).optional().describe('Languages of a recognizer. Default: unknown'),
  precision: z.enum(['int8', 'float']).optional().describe('Which file to load where a model has both. Default: int8'),
  threads: z.int().min(1).max(64).optional().describe('Processor threads for one piece of work. Default: 2'),
  instances: z.int().min(1).max(16).optional().describe('Processes with the model. Default: 1'),
  provider: z.string().min(1).optional().describe('Where it computes: cpu, or another of your build. Default: cpu'),
  vad: z
    .string()
    .min(1)
    .optional()
    .describe('Model that finds speech, for families that listen: a path, or its name below models. Default: none'),
  punctuation: z
    .string()
    .min(1)
    .optional()
    .describe('Model that writes punctuation, for recognizers: a folder, or its name below models. Default: none'),
  similarity: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Cosine similarity from which two voices are one speaker. Default: 0.5'),
  files: z
    .record(z.string(), z.string().min(1))
    .optional()
    .describe('Files by their roles, such as vocoder: in the folder of the model, or a path. Default: those that fit'),
})

type Keys = z.infer<typeof keys>

/** The kind `sherpa-onnx` for the file of engines. */
export const engineKind: EngineKind = defineEngineKind<Keys>({ driver: 'sherpa-onnx', keys, findFaults, create })

function findFaults(given: Keys, context: EntryContext): EntryFault[] {
  const faults: EntryFault[] = []
  const { family, voices } = given
  const [isVoice, isSpeakers] = [isSpeechFamily(family), isSpeakerFamily(family)]
  const refuse = (path: keyof Keys, isWrong: boolean, why: string): void => {
    if (isWrong && given[path] !== undefined) faults.push({ path: [path], message: `must be left out: ${why}` })
  }
  if (isVoice && voices === undefined) faults.push({ path: ['voices'], message: 'is missing: a voice model needs one' })
  refuse('voices', !isVoice, 'only voice models have some')
  refuse('languages', isVoice, 'each voice has its language')
  refuse('languages', isSpeakers, 'speakers are distinguished in every language')
  refuse('vad', isVoice, 'a voice model does not listen')
  refuse('punctuation', isVoice || isSpeakers, 'only recognizers write text')
  refuse('similarity', !isSpeakers, `only ${SPEAKER_FAMILIES.join(', ')} compares voices`)
  const roles = new Set(FAMILIES[family].files.flatMap((rules) => Object.keys(rules)))
  for (const role of Object.keys(given.files ?? {}).filter((one) => !roles.has(one))) {
    faults.push({ path: ['files', role], message: `is no file of ${family}: use ${[...roles].join(', ')}` })
  }
  faults.push(...findReferenceFaults(given, context))
  try {
    modelSettings(optionsOf(given, context))
  } catch (error) {
    if (!(error instanceof MissingFilesError)) throw error
    faults.push({ path: ['model'], message: error.message })
  }
  return faults
}

/** Voices that are recordings need them. */
function findReferenceFaults({ family, model, voices = [] }: Keys, context: EntryContext): EntryFault[] {
  const { reference: needed } = FAMILIES[family]
  const faults: EntryFault[] = []
  for (const [index, { reference, referenceText }] of voices.entries()) {
    const add = (key: string, message: string): void => void faults.push({ path: ['voices', index, key], message })
    if (needed === undefined && reference !== undefined) add('reference', 'must be left out: its voices are speakers')
    if (needed !== 'sound and text' && referenceText !== undefined)
      add('referenceText', 'must be left out: only zipvoice reads it')
    if (needed === undefined) continue
    if (reference === undefined) add('reference', `is missing: a voice of ${family} sounds like a recording`)
    else if (!existsSync(resolve(folderOf(model, context), reference))) add('reference', `names no file: ${reference}`)
    if (needed === 'sound and text' && referenceText === undefined)
      add('referenceText', 'is missing: what the recording says')
  }
  return faults
}

function folderOf(model: string, context: EntryContext): string {
  const folder = pathOf(model, context)
  return existsSync(folder) ? innerFolder(folder) : folder
}

function optionsOf(given: Keys, context: EntryContext): AnyModelOptions {
  const { family, model, files, precision, threads, instances, provider, vad, punctuation, similarity } = given
  const place = (path: string | undefined): string | undefined => (path === undefined ? path : pathOf(path, context))
  return {
    family,
    folder: pathOf(model, context),
    files: files === undefined ? files : placed(files, folderOf(model, context), context),
    runtimeFolder: context.folder,
    vad: place(vad),
    punctuation: place(punctuation),
    similarity,
    name: context.name,
    precision,
    threads,
    instances,
    provider,
  }
}

/** Names in the folder of the model stay. Others are names below the models of the service, or paths. */
function placed(files: ModelFiles, folder: string, context: EntryContext): ModelFiles {
  const entries = Object.entries(files)
  return Object.fromEntries(
    entries.map(([role, name]) => [role, existsSync(join(folder, name)) ? name : pathOf(name, context)]),
  )
}

/** A name below the models of the service comes first. Then a path starts at the file of engines. */
function pathOf(given: string, { dataDir, folder }: EntryContext): string {
  if (isAbsolute(given)) return given
  const added = join(resolve(dataDir), MODELS, given)
  return existsSync(added) ? added : resolve(folder, given)
}

function create(given: Keys, context: EntryContext): EngineParts {
  const { voices = [], languages } = given
  const { family, ...options } = optionsOf(given, context)
  let working: { readonly residentBytes: number } | undefined
  const memory = (): number => working?.residentBytes ?? 0
  const onEngine = (engine: { readonly residentBytes: number }): void => {
    working = engine
  }
  if (isSpeechFamily(family)) return { speech: sherpaSpeech({ ...options, family, voices }, onEngine), memory }
  if (isSpeakerFamily(family)) return { diarization: sherpaDiarization({ ...options, family }, onEngine), memory }
  return { recognition: sherpaRecognition({ ...options, family, languages }, onEngine), memory }
}
