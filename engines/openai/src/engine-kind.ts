import type { EngineKind, EntryFault } from '@svc-audio/engine-ports'
import { defineEngineKind } from '@svc-audio/engine-ports/kind'
import { openAiParts } from './engine-parts.ts'
import { OpenAiKeys } from './keys.ts'

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
