import type { Transport } from '@svc-audio/core'
import type { EngineKind, EngineParts, EntryFault } from '@svc-audio/engine-ports'
import { defineEngineKind } from '@svc-audio/engine-ports/kind'
import { diarizationDriver } from './diarization-driver.ts'
import { OpenAiKeys } from './keys.ts'
import { recognitionDriver } from './recognition-driver.ts'
import { speechDriver } from './speech-driver.ts'
import { Upstream } from './upstream.ts'

/** The driver `openai` of the file of engines: a server with the audio API of OpenAI. */
export const engineKind: EngineKind = defineEngineKind({
  driver: 'openai',
  keys: OpenAiKeys,
  findFaults({ apiKeyVariable, speech, recognition, diarization }, { environment }): EntryFault[] {
    const faults: EntryFault[] = []
    if (speech === undefined && recognition === undefined && diarization === undefined) {
      faults.push({ path: [], message: 'needs speech, recognition or diarization: say what the server does' })
    }
    if (apiKeyVariable !== undefined && (environment[apiKeyVariable] ?? '').trim() === '') {
      faults.push({ path: ['apiKeyVariable'], message: 'names a variable that is not set: set it, or remove the line' })
    }
    const ids = speech?.voices?.map(({ id }) => id) ?? []
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) === index) continue
      faults.push({
        path: ['speech', 'voices', index, 'id'],
        message: 'is the id of an earlier voice: give it another',
      })
    }
    return faults
  },
  create: (keys, { name, environment }) => openAiParts(name, keys, { environment }),
})

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
