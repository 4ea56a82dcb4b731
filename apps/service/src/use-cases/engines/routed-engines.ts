import type { EngineVoice, RecognizeOptions } from '@svc-audio/engine-ports'
import { invalid } from '../../domain/service-error.ts'
import {
  type EngineName,
  type EngineState,
  EngineUnavailableError,
  type ServedDiarization,
  type ServedRecognition,
  type ServedSpeech,
  type ServedVoice,
} from '../../ports/engine-state.ts'

/** One of several engines that do the same, in the order of their rank. */
export interface RankedEngine<Engine> {
  readonly engine: Engine
  readonly state: EngineState
}

/** A recognizer, and what it is for. */
export interface RankedRecognizer extends RankedEngine<ServedRecognition> {
  /** Models that it serves. @default all */
  readonly models?: readonly string[] | undefined
  /** Languages that it serves, as primary tags. @default those of the engine, or all */
  readonly languages?: readonly string[] | undefined
}

/** Several engines are up while one of them is. A retry makes sense when the first of them may work. */
export function anyOf(states: readonly EngineState[]): EngineState {
  return {
    get up() {
      return states.some(({ up }) => up)
    },
    get retryAfterSeconds() {
      return Math.min(...states.map(({ retryAfterSeconds }) => retryAfterSeconds))
    },
  }
}

/**
 * Makes one speech engine of several: the voice selects the engine. Of two voices with one id, the first counts. A voice
 * that was built on another needs an engine that can change that one.
 */
export function routedSpeech(members: readonly RankedEngine<ServedSpeech>[]): ServedSpeech {
  const [only] = members
  if (only !== undefined && members.length === 1) return only.engine
  return {
    name: members.map(({ engine }) => engine.name).join('+'),
    get voices() {
      return firstOfEachId(members.flatMap(({ engine }) => engine.voices.map((voice) => servedBy(engine.name, voice))))
    },
    get bases() {
      return firstOfEachId(members.flatMap(({ engine }) => engine.voices.filter(({ traits }) => traits !== undefined)))
    },
    async synthesize(request, options) {
      const speaks = ({ id, traits }: EngineVoice): boolean =>
        id === request.voiceId && (request.manner === undefined || traits !== undefined)
      const member = members.find(({ engine }) => engine.voices.some(speaks))
      if (member === undefined) throw new RangeError(`No engine has the voice ${JSON.stringify(request.voiceId)}`)
      return member.engine.synthesize(request, options)
    },
    close: () => closeAll(members),
  }
}

function servedBy(engine: string, voice: EngineVoice): ServedVoice {
  return { ...voice, engine }
}

function firstOfEachId(voices: readonly ServedVoice[]): ServedVoice[] {
  const first = new Map<string, ServedVoice>()
  for (const voice of voices) if (!first.has(voice.id)) first.set(voice.id, voice)
  return [...first.values()]
}

/**
 * Makes one recognizer of several: the first that serves the model and the language and is up. Without a language, any
 * engine may detect it.
 * @throws EngineUnavailableError while all of them are down; ServiceError 400 for a language that none serves
 */
export function routedRecognition(members: readonly RankedRecognizer[]): ServedRecognition {
  const [only] = members
  if (only !== undefined && members.length === 1) return only.engine
  const known = members.map(languagesOf)
  const every = known.every((languages) => languages !== undefined)
  const languages = every ? [...new Set(known.flat())].filter((one) => one !== undefined) : undefined
  return {
    name: members.map(({ engine }) => engine.name).join('+'),
    language: languages?.length === 1 ? languages[0] : undefined,
    languages,
    recognize: async (pcm, options = {}) => chooseRecognizer(members, options).engine.recognize(pcm, options),
    close: () => closeAll(members),
  }
}

function languagesOf({ engine, languages }: RankedRecognizer): readonly string[] | undefined {
  return languages ?? engine.languages ?? (engine.language === undefined ? undefined : [engine.language])
}

/** Returns the engine for a request, as {@link routedRecognition} describes. */
export function chooseRecognizer(
  members: readonly RankedRecognizer[],
  { model, language }: Pick<RecognizeOptions, 'model' | 'language'>,
): RankedRecognizer {
  const ofModel = members.filter(({ models }) => model === undefined || models === undefined || models.includes(model))
  const primary = language?.toLowerCase().split(/[-_]/, 1)[0]
  const able = ofModel.filter((one) => primary === undefined || languagesOf(one)?.includes(primary) !== false)
  if (able.length === 0) {
    const known = [...new Set(ofModel.flatMap((one) => languagesOf(one) ?? []))].join(', ')
    throw invalid('unsupported_language', 'language', `No engine recognizes this language: use one of ${known}`)
  }
  return firstUp('recognition', able)
}

/** Makes one diarizer of several: the first that is up. */
export function routedDiarization(members: readonly RankedEngine<ServedDiarization>[]): ServedDiarization {
  const [only] = members
  if (only !== undefined && members.length === 1) return only.engine
  return {
    name: members.map(({ engine }) => engine.name).join('+'),
    diarize: async (pcm, options) => firstUp('diarization', members).engine.diarize(pcm, options),
    close: () => closeAll(members),
  }
}

function firstUp<Member extends { readonly state: EngineState }>(name: EngineName, members: readonly Member[]): Member {
  const member = members.find(({ state }) => state.up)
  if (member !== undefined) return member
  throw new EngineUnavailableError(name, anyOf(members.map(({ state }) => state)).retryAfterSeconds)
}

async function closeAll(members: readonly { readonly engine: { close(): Promise<void> } }[]): Promise<void> {
  await Promise.all(members.map(({ engine }) => engine.close()))
}
