import type { Insertable, Selectable } from 'kysely'
import { z } from 'zod'
import type { JsonObject } from '../../ports/task-store.ts'
import type { StoredVoice } from '../../ports/voice-store.ts'
import type { CommonTables } from './tables.ts'

const Parameters = z.object({
  base: z.string(),
  pitchHz: z.number(),
  rangeSemitones: z.number(),
  tempo: z.number(),
  size: z.number(),
})

/** Reads the parameters of a voice from their column. */
export function parametersFromColumn(parameters: string): StoredVoice['parameters'] {
  return Parameters.parse(JSON.parse(parameters))
}

/** Reads a voice from its row. */
export function voiceFromRow(row: Selectable<CommonTables['voices']>): StoredVoice {
  const { id, tenant, name, description, status, parameters, created_at: createdAt } = row
  return { id, tenant, name, description, status, parameters: parametersFromColumn(parameters), createdAt }
}

/** Makes the row of a voice. */
export function rowOfVoice({ parameters, createdAt, ...rest }: StoredVoice): Insertable<CommonTables['voices']> {
  return { ...rest, parameters: JSON.stringify(parameters), created_at: createdAt }
}

/** The stored response of the request that made a voice. */
export function responseOfVoice(id: string): JsonObject {
  return { voice: id }
}
