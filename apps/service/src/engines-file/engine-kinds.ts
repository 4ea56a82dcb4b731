import { createRequire } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { EngineKind } from '@svc-audio/engine-ports'
import { nearHint } from '@svc-audio/options'
import { errorCode } from '../domain/error-code.ts'

/** The packages of the kinds that this project has. A package is loaded only for an entry that names its driver. */
const PACKAGES: Readonly<Record<string, string>> = {
  openai: '@svc-audio/engine-openai',
  'espeak-ng': '@svc-audio/engine-espeak-ng',
  'sherpa-onnx': '@svc-audio/engine-sherpa-onnx',
}

/** Names of the drivers that this project has. */
export const DRIVERS: readonly string[] = Object.keys(PACKAGES)

/** A kind, or why there is none. */
export type FoundKind = { readonly kind: EngineKind } | { readonly fault: string }

/**
 * Loads a kind of engine: one of this project by its name, another by the name of its package or the path of its file.
 * @param folder Folder of relative paths.
 */
export async function loadKind(driver: string, folder: string): Promise<FoundKind> {
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
    const kind: unknown = Reflect.get(loaded, 'engineKind')
    return isKind(kind) ? { kind } : { fault: 'has no export `engineKind`: see the decision about the file of engines' }
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
