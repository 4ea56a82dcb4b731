import { readFile } from 'node:fs/promises'

import { cachedBytes } from './module-cache.ts'
import { findPackageFiles } from './package-files.ts'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { rewriteInThread } from './rewrite-in-thread.ts'
import { REWRITE_VERSION } from './rewritten-module.ts'
import type { StartThread } from '../threads/thread.ts'

/** Options of {@link prepareModule}. */
export interface PrepareModuleOptions {
  /** Folder of the rewritten module. Without it, the first engine of each process rewrites the module. */
  readonly cacheDir?: string | undefined
  readonly signal?: AbortSignal
  /** Starts the rewriting thread. @default in this process */
  readonly startThread?: StartThread | undefined
}

/** What this process has rewritten, for its later engines: a rewrite takes a second. */
let rewritten: Uint8Array | undefined

/**
 * Returns the rewritten module of PocketSphinx.
 * @throws EngineFailedError when the module is missing or cannot be rewritten, the signal's reason when it aborts.
 */
export async function prepareModule(options: PrepareModuleOptions = {}): Promise<Uint8Array> {
  const { cacheDir, signal, startThread } = options
  try {
    const source = await readFile(findPackageFiles().wasm)
    const make = async (): Promise<Uint8Array> => (rewritten ??= await rewriteInThread(source, { signal, startThread }))
    if (cacheDir === undefined) return await make()
    return await cachedBytes(cacheDir, { source, version: REWRITE_VERSION }, make)
  } catch (error) {
    signal?.throwIfAborted()
    throw new EngineFailedError(`PocketSphinx cannot be prepared: ${String(error)}`, { cause: error })
  }
}
