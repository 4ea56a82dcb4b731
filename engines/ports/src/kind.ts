import { kind, unknownName } from '#options'
import { type core, z } from 'zod'
import type { EngineKind, EngineParts, EntryContext, EntryFault } from './engine-drivers.ts'

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

/**
 * Converts the issues of a schema to mistakes of an entry.
 * @param given The checked value. A message tells its type, and never a string of it.
 * @param schema The JSON Schema: it has the names for hints.
 */
function entryFaults(
  issues: readonly core.$ZodIssue[],
  given: unknown,
  schema: Readonly<Record<string, unknown>>,
): EntryFault[] {
  return issues.flatMap((issue): EntryFault[] => {
    const path = issue.path.filter((key) => typeof key !== 'symbol')
    if (issue.code === 'unrecognized_keys') {
      const names = namesAt(schema, path)
      return issue.keys.map((name) => ({ path: [...path, name], message: unknownName(name, names, 'key') }))
    }
    // An alternative says more than that there is none.
    const [nearest] = issue.code === 'invalid_union' ? issue.errors.toSorted((a, b) => depthOf(b) - depthOf(a)) : []
    if (nearest !== undefined && depthOf(nearest) > 0) {
      const within = entryFaults(nearest, valueAt(given, path), {})
      return within.map((fault) => ({ path: [...path, ...fault.path], message: fault.message }))
    }
    return [{ path, message: messageOf(issue, valueAt(given, path)) }]
  })
}

function depthOf(issues: readonly core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map(({ path, code }) => path.length + (code === 'unrecognized_keys' ? 1 : 0)))
}

function messageOf(issue: core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'is missing'
  const is = `got ${kind(value)}`
  if (issue.code === 'invalid_type') return `must be ${withArticle(issue.expected)}, ${is}`
  if (issue.code === 'too_small') {
    if (issue.origin === 'string') return 'must not be empty'
    if (issue.origin === 'array') return `must have at least ${String(issue.minimum)} entries`
    return `must be ${issue.inclusive === false ? 'greater than' : 'at least'} ${String(issue.minimum)}, ${is}`
  }
  if (issue.code === 'too_big') {
    return issue.origin === 'string'
      ? `must have at most ${String(issue.maximum)} characters`
      : `must be at most ${String(issue.maximum)}, ${is}`
  }
  if (issue.code === 'invalid_value') {
    return `must be ${issue.values.map((one) => JSON.stringify(one)).join(' or ')}, ${is}`
  }
  return issue.message
}

function withArticle(type: string): string {
  if (type === 'int') return 'an integer'
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type === 'record' ? 'object' : type}`
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let part = value
  for (const key of path) part = typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined
  return part
}

/** The names that an object of the schema has. */
function namesAt(schema: unknown, path: readonly (string | number)[]): string[] {
  let part = schema
  for (const key of path) part = valueAt(part, typeof key === 'number' ? ['items'] : ['properties', key])
  const names = valueAt(part, ['properties'])
  return typeof names === 'object' && names !== null ? Object.keys(names) : []
}
