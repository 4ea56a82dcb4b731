import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CheckedEntry, EngineKind } from '@svc-audio/engine-ports'
import { kind, nearHint, unknownName } from '#options'
import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { errorCode } from '../domain/error-code.ts'
import { BUNDLED, type BundledEngine, type FileEngine, type FileEngines } from './engines.ts'

/** Options of {@link readEnginesFile}. */
export interface EnginesFileOptions {
  readonly dataDir: string
  /** @default the variables of this process */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/**
 * Reads and checks the file of engines. It opens no connection.
 * @throws EnginesFileError with all mistakes of the file, each with its line, path and remedy
 */
export async function readEnginesFile(path: string, options: EnginesFileOptions): Promise<FileEngines> {
  const parsed = parseEngines(path, await readText(path))
  const faults = findFileFaults(parsed.value)
  const file = EnginesFile.safeParse(parsed.value)
  if (!file.success || faults.length > 0) throw faultsOf(path, faults, parsed.lineOf)
  const entries: {
    readonly name: string
    readonly keys: ReturnType<typeof EntryKeys.parse>
    readonly entry: CheckedEntry
  }[] = []
  for (const [name, given] of Object.entries(file.data.engines)) {
    const checked = await checkEntry(name, given, { ...options, folder: dirname(resolve(path)) })
    if ('entry' in checked) entries.push({ name, keys: EntryKeys.parse(given), entry: checked.entry })
    else faults.push(...checked.faults.map(({ path: at, message }) => ({ path: ['engines', name, ...at], message })))
  }
  if (faults.length > 0) throw faultsOf(path, faults, parsed.lineOf)
  const engines = await Promise.all(
    entries.map(async ({ name, keys: { driver, atOnce = 4, models, languages }, entry }): Promise<FileEngine> => {
      const primary = languages?.map((tag) => tag.toLowerCase().replace(/-.*/, ''))
      return { name, driver, parts: await entry.create(), atOnce, models, languages: primary }
    }),
  )
  const bundled = new Set(file.data.bundled ?? BUNDLED)
  const missing = findMissing(engines, bundled)
  if (missing.length > 0) throw faultsOf(path, missing, parsed.lineOf)
  return { engines, bundled }
}

async function readText(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const reason = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errorCode(error)})`
    throw new EnginesFileError(`The file of engines ${path} ${reason}. Correct --engines or SVC_AUDIO_ENGINES`, {
      cause: error,
    })
  }
}

async function checkEntry(
  name: string,
  given: Readonly<Record<string, unknown>> & { readonly driver: string },
  { folder, dataDir, environment = process.env }: EnginesFileOptions & { readonly folder: string },
): Promise<{ readonly entry: CheckedEntry } | { readonly faults: readonly FileFault[] }> {
  const found = await loadKind(given.driver, folder)
  if ('fault' in found) return { faults: [{ path: ['driver'], message: found.fault }] }
  const own = Object.fromEntries(Object.entries(given).filter(([key]) => isOwn(key, found.kind)))
  const checked = found.kind.check(own, { name, folder, dataDir, environment })
  return checked.faults === undefined ? { entry: checked } : { faults: checked.faults }
}

/** Keys of the service are not the kind's. `languages` may be both: it limits the voices of a kind, or sets its model. */
function isOwn(key: string, { schema }: EngineKind): boolean {
  if (!ENTRY_KEYS.includes(key)) return true
  return key === 'languages' && new Set(Object.keys(new Object(Reflect.get(schema, 'properties')))).has(key)
}

/** Each kind of work needs an engine. */
function findMissing(engines: readonly FileEngine[], bundled: ReadonlySet<BundledEngine>): FileFault[] {
  const missing = BUNDLED.filter(
    (name) => !bundled.has(name) && engines.every(({ parts }) => parts[name] === undefined),
  )
  return missing.map((name) => ({
    path: ['bundled'],
    message: `must have ${name}: no other engine of the file does it`,
  }))
}

/** The packages of the kinds that this project has. A package is loaded only for an entry that names its driver. */
const PACKAGES: Readonly<Record<string, string>> = {
  openai: '@svc-audio/engine-openai',
  'espeak-ng': '@svc-audio/engine-espeak-ng',
  'sherpa-onnx': '@svc-audio/engine-sherpa-onnx',
}

/** Names of the drivers that this project has. */
const DRIVERS: readonly string[] = Object.keys(PACKAGES)

/** A kind, or why there is none. */
type FoundKind = { readonly kind: EngineKind } | { readonly fault: string }

/**
 * Loads a kind of engine: one of this project by its name, another by the name of its package or the path of its file.
 * @param folder Folder of relative paths.
 */
async function loadKind(driver: string, folder: string): Promise<FoundKind> {
  const isFile = driver.startsWith('.') || isAbsolute(driver)
  const name = isFile ? pathToFileURL(join(isAbsolute(driver) ? '' : folder, driver)).href : PACKAGES[driver]
  const isPackage = /^@?[\w.-]+\/[\w./-]+$/.test(driver)
  if (name === undefined && !isPackage) {
    const known = `use ${DRIVERS.join(', ')}, the name of a package with its scope, or ./ and the path of a file`
    return { fault: `names no driver${nearHint(driver, DRIVERS)}: ${known}` }
  }
  const from = name ?? driver
  try {
    const loaded: object = await importFrom(folder, from)
    const found: unknown = Reflect.get(loaded, 'engineKind')
    return isKind(found)
      ? { kind: found }
      : { fault: 'has no export `engineKind`: see the decision about the file of engines' }
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    const remedy = isFile ? 'correct the path' : `install it with npm install ${from}`
    return { fault: `is not installed: ${remedy}` }
  }
}

/** Imports what the service brings, else what is installed beside the file. */
async function importFrom(folder: string, name: string): Promise<object> {
  try {
    return await import(name)
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND' || name.startsWith('file:')) throw error
    const path = findPackage(folder, name)
    if (path === undefined) throw error
    return import(pathToFileURL(path).href)
  }
}

function findPackage(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, 'engines.js')).resolve(name)
  } catch {
    return undefined
  }
}

function isKind(value: unknown): value is EngineKind {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'driver') === 'string' &&
    typeof Reflect.get(value, 'check') === 'function'
  )
}

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
const ENTRY_KEYS: readonly string[] = Object.keys(EntryKeys.shape)

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
interface ParsedFile {
  readonly value: unknown
  /** Returns the line of a part, from 1. */
  readonly lineOf: (path: readonly (string | number)[]) => number
}

/** A mistake, with its place. */
interface FileFault {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Several mistakes of the file, each with line, path and remedy. */
export class EnginesFileError extends Error {
  override readonly name = 'EnginesFileError' as const
}

/** Creates the error of all mistakes. */
function faultsOf(file: string, faults: readonly FileFault[], lineOf: ParsedFile['lineOf']): EnginesFileError {
  const lines = faults.map(({ path, message }) => {
    const text = message.startsWith('Unknown') ? `: ${message}` : ` ${message}`
    return `${file}:${lineOf(path)}: ${path.length === 0 ? 'the file' : path.join('.')}${text}`
  })
  return new EnginesFileError(lines.join('\n'))
}

/** Parses YAML or JSON, which is YAML too. @throws EnginesFileError */
function parseEngines(file: string, text: string): ParsedFile {
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
function findFileFaults(value: unknown): FileFault[] {
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
