import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { CheckedEntry, EngineKind } from '@svc-audio/engine-ports'
import { errorCode } from '../domain/error-code.ts'
import { loadKind } from './engine-kinds.ts'
import { BUNDLED, type BundledEngine, type FileEngine, type FileEngines } from './file-engines.ts'
import {
  EnginesFile,
  EnginesFileError,
  ENTRY_KEYS,
  EntryKeys,
  faultsOf,
  type FileFault,
  findFileFaults,
  parseEngines,
} from './parse-engines.ts'

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
  const entries: { readonly name: string; readonly keys: EntryKeys; readonly entry: CheckedEntry }[] = []
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
  const missing = [...findMissing(engines, bundled), ...findClashes(engines)]
  if (missing.length > 0) throw faultsOf(path, missing, parsed.lineOf)
  return { engines, bundled }
}

type EntryKeys = ReturnType<typeof EntryKeys.parse>

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

/** Two named voices with one id: the second would never speak. */
function findClashes(engines: readonly FileEngine[]): FileFault[] {
  const owners = new Map<string, string>()
  const faults: FileFault[] = []
  for (const { name, parts } of engines) {
    for (const { id } of parts.speech?.voices ?? []) {
      const owner = owners.get(id)
      if (owner === undefined) owners.set(id, name)
      else faults.push({ path: ['engines', name, 'voices'], message: `has a voice of ${owner}: give it another id` })
    }
  }
  return faults
}
