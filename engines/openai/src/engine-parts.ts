import type { Transport } from '@svc-audio/core'
import type { EngineParts } from '@svc-audio/engine-ports'
import type { OpenAiKeys } from './keys.ts'
import { diarizationDriver } from './diarization/diarization-driver.ts'
import { recognitionDriver } from './recognition/recognition-driver.ts'
import { speechDriver } from './speech/speech-driver.ts'
import { Upstream } from './upstream.ts'

/** What the machine gives the engine. */
export interface HereOptions {
  /** Environment variables. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Carries requests. @default HTTP */
  readonly transport?: Transport
}

/** Makes the drivers of an entry. They share their connections. @param name Name of the entry */
export function openAiParts(name: string, keys: OpenAiKeys, { environment, transport }: HereOptions): EngineParts {
  const variable = keys.apiKeyVariable
  const apiKey = variable === undefined ? undefined : environment[variable]?.trim()
  const upstream = new Upstream({ name, keys, apiKey, transport })
  return {
    speech: keys.speech && speechDriver(name, keys.speech, upstream),
    recognition: keys.recognition && recognitionDriver(name, keys.recognition, upstream),
    diarization: keys.diarization && diarizationDriver(name, keys.diarization, upstream),
    close: () => upstream.close(),
  }
}
