import { kind, unknownName } from '@svc-audio/options'
import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { BUNDLED } from './file-engines.ts'

/** The keys of an entry that belong to the service. */
export const EntryKeys = z.object({
  driver: z
    .string()
    .min(1)
    .describe('Kind of the engine: openai, espeak-ng, sherpa-onnx, a package or the path of a file'),
  atOnce: z.int().min(1).max(1000).optional().describe('Maximum requests to the engine at the same time (default: 4)'),
  models: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Transcription models of this service that the engine serves (default: all)'),
  languages: z
    .array(z.string().regex(/^[A-Za-z]{2,3}(-\w+)*$/, 'must be language tags, such as de or pt-BR'))
    .min(1)
    .optional()
    .describe('Languages of the engine, as BCP 47 tags; requests choose by the primary tag (default: all that it has)'),
})

/** The keys of the service, by name. */
export const ENTRY_KEYS: readonly string[] = Object.keys(EntryKeys.shape)

/** The file without the own keys of the kinds. */
export const EnginesFile = z.object({
  $schema: z.string().optional(),
  bundled: z
    .array(z.enum(BUNDLED))
    .optional()
    .describe('The bundled engines that remain, behind all others (default: all)'),
  engines: z
    .record(z.string().regex(/^[a-z][a-z\d-]{0,39}$/), z.looseObject(EntryKeys.shape))
    .describe('Engines by name, the first one first'),
})

/** The value of a file with the lines of its parts. */
export interface ParsedFile {
  readonly value: unknown
  /** Returns the line of a part, from 1. */
  readonly lineOf: (path: readonly (string | number)[]) => number
}

/** A mistake, with its place. */
export interface FileFault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Several mistakes of the file, each with line, path and remedy. */
export class EnginesFileError extends Error {
  override readonly name = 'EnginesFileError' as const
}

/** Creates the error of all mistakes. */
export function faultsOf(file: string, faults: readonly FileFault[], lineOf: ParsedFile['lineOf']): EnginesFileError {
  const lines = faults.map(({ path, message }) => {
    const text = message.startsWith('Unknown') ? `: ${message}` : ` ${message}`
    return `${file}:${lineOf(path)}: ${path.length === 0 ? 'the file' : path.join('.')}${text}`
  })
  return new EnginesFileError(lines.join('\n'))
}

/** Parses YAML or JSON, which is YAML too. @throws EnginesFileError */
export function parseEngines(file: string, text: string): ParsedFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [first] = document.errors
  if (first !== undefined) {
    // The message of the parser may repeat a part of the file.
    const { line } = lines.linePos(first.pos[0])
    throw new EnginesFileError(`${file}:${line}: this is not valid YAML or JSON (${first.code})`)
  }
  return { value: document.toJS({ maxAliasCount: 100 }), lineOf: (path) => lineIn(document, lines, path) }
}

/** The line of a part, or of the nearest part around it that exists. */
function lineIn(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const name = path[length - 1]
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isNode(key) && 'value' in key && key.value === name)
      : undefined
    const node: unknown = pair?.key ?? document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line
  }
  return 1
}

/** Finds the mistakes of the service's own keys. */
export function findFileFaults(value: unknown): FileFault[] {
  const known = Object.keys(EnginesFile.shape)
  const names = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  const unknown = names.filter((name) => !known.includes(name))
  const faults: FileFault[] = unknown.map((name) => ({ path: [name], message: unknownName(name, known, 'key') }))
  const parsed = EnginesFile.safeParse(value)
  if (parsed.success) return faults
  const issues = parsed.error.issues.map((issue): FileFault => {
    const path = issue.path.filter((key) => typeof key !== 'symbol')
    let part = value
    for (const key of path) part = typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined
    if (issue.code === 'invalid_key') {
      return { path, message: 'must be named by a small letter, then small letters, digits and dashes, at most 40' }
    }
    if (part === undefined) return { path, message: 'is missing' }
    if (issue.code === 'invalid_type') {
      return {
        path,
        message: `must be ${issue.expected === 'array' ? 'a list' : `of the type ${issue.expected}`}, got ${kind(part)}`,
      }
    }
    if (issue.code === 'too_big' || issue.code === 'too_small') return { path, message: rangeOf(issue) }
    if (issue.code === 'invalid_value') return { path, message: `must be one of ${issue.values.join(', ')}` }
    return { path, message: issue.message }
  })
  return [...faults, ...issues]
}

function rangeOf(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): string {
  if (issue.code === 'too_big') return `must be at most ${String(issue.maximum)}`
  return issue.origin === 'string' || issue.origin === 'array'
    ? 'must not be empty'
    : `must be at least ${String(issue.minimum)}`
}
