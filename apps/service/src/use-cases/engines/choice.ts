import type { EngineParts, RecognizeOptions } from '@svc-audio/engine-ports'
import { invalid } from '../../domain/service-error.ts'
import {
  type EngineName,
  type EngineState,
  EngineUnavailableError,
  type NamedEngineState,
  type ServedRecognition,
} from '../../ports/engines.ts'

/** A recognizer, and what it is for. */
export interface Recognizer extends Pick<NamedEngineState, 'state'> {
  readonly entry: {
    /** Transcription models that it serves. @default all */
    readonly models?: readonly string[] | undefined
    /** Languages that it recognizes, as primary tags. @default those of the engine, or all */
    readonly languages?: readonly string[] | undefined
    readonly parts: Pick<EngineParts, 'recognition'>
  }
}

/** Several engines are up while one of them is. A retry makes sense when the first of them may work. */
export function anyOf(members: readonly Pick<NamedEngineState, 'state'>[]): EngineState {
  return {
    get up() {
      return members.some(({ state }) => state.up)
    },
    get retryAfterSeconds() {
      return Math.min(...members.map(({ state }) => state.retryAfterSeconds))
    },
  }
}

/** The first engine that is up. Those that fail at real work come last. @returns `undefined` while all are down */
export function firstUp<One extends Pick<NamedEngineState, 'state'>>(members: readonly One[]): One | undefined {
  const up = members.filter(({ state }) => state.up)
  return up.find(({ state }) => state.isDoubted !== true) ?? up[0]
}

/** As {@link firstUp}. @throws EngineUnavailableError while all of them are down */
export function requireUp<One extends Pick<NamedEngineState, 'state'>>(port: EngineName, members: readonly One[]): One {
  const first = firstUp(members)
  if (first !== undefined) return first
  throw new EngineUnavailableError(port, anyOf(members).retryAfterSeconds)
}

/**
 * Chooses the first recognizer that serves the model and the language and is up. Without a language, any engine may detect
 * it. A single engine takes everything.
 * @throws EngineUnavailableError while all of them are down; ServiceError 400 for a language that none serves
 */
export function chooseRecognizer<One extends Recognizer>(
  members: readonly One[],
  { model, language }: Pick<RecognizeOptions, 'model' | 'language'>,
): One {
  const [only] = members
  if (only !== undefined && members.length === 1) return only
  const ofModel = members.filter(
    ({ entry: { models } }) => model === undefined || models === undefined || models.includes(model),
  )
  const primary = language?.toLowerCase().split(/[-_]/, 1)[0]
  const able = ofModel.filter((one) => primary === undefined || languagesOf(one)?.includes(primary) !== false)
  if (able.length === 0) {
    const known = [...new Set(ofModel.flatMap((one) => languagesOf(one) ?? []))].join(', ')
    throw invalid('unsupported_language', 'language', `No engine recognizes this language: use one of ${known}`)
  }
  return requireUp('recognition', able)
}

function languagesOf({ entry: { languages, parts } }: Recognizer): readonly string[] | undefined {
  const { recognition } = parts
  return (
    languages ?? recognition?.languages ?? (recognition?.language === undefined ? undefined : [recognition.language])
  )
}

/** The languages of several recognizers are known when those of each are. */
export function languagesOfAll(members: readonly Recognizer[]): Pick<ServedRecognition, 'language' | 'languages'> {
  const [only] = members
  if (only !== undefined && members.length === 1) return only.entry.parts.recognition ?? {}
  const known = members.map(languagesOf)
  if (known.includes(undefined)) return {}
  const languages = [...new Set(known.flat())].filter((one) => one !== undefined)
  return { language: languages.length === 1 ? languages[0] : undefined, languages }
}
