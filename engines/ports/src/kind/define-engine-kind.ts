import { z } from 'zod'
import type { EngineKind, EngineParts, EntryContext, EntryFault } from '../engine-kind.ts'
import { entryFaults } from './entry-faults.ts'

/** Options of {@link defineEngineKind}. */
export interface EngineKindDefinition<Keys> {
  /** The value of `driver` in the file of engines. */
  readonly driver: string
  /** The own keys of an entry: a strict object. A key has its meaning as description, which the JSON Schema shows. */
  readonly keys: z.ZodType<Keys>
  /** Finds mistakes that the schema cannot: a variable that is unset, a file that is missing. @default none */
  readonly findFaults?: (keys: Keys, context: EntryContext) => readonly EntryFault[]
  /** Makes the drivers of a checked entry. It starts nothing and opens no connection. */
  readonly create: (keys: Keys, context: EntryContext) => EngineParts | Promise<EngineParts>
}

/** Defines a kind of engine by a zod schema of its keys. The service reports every mistake of an entry with its path. */
export function defineEngineKind<Keys>({
  driver,
  keys: schema,
  findFaults = () => [],
  create,
}: EngineKindDefinition<Keys>): EngineKind {
  const json = z.toJSONSchema(schema, { io: 'input' })
  return {
    driver,
    schema: json,
    check(given, context) {
      const parsed = schema.safeParse(given)
      if (!parsed.success) return { faults: entryFaults(parsed.error.issues, given, json) }
      const faults = findFaults(parsed.data, context)
      if (faults.length > 0) return { faults }
      return { create: async () => create(parsed.data, context) }
    },
  }
}
