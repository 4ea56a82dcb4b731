import { readFile } from 'node:fs/promises'

import { cachedBytes } from './module-cache.ts'
import { findPackageFiles } from './package-files.ts'
import { EngineFailedError } from '../../../ports/engine-state.ts'
import { rewriteInThread } from './rewrite-in-thread.ts'
import { REWRITE_VERSION } from './rewritten-module.ts'
import type { StartThread } from '../threads/thread.ts'

/** Options of {@link prepareModule}. */
export interface PrepareModuleOptions {
  /** Folder of the rewritten module. Without it, each start rewrites the module, which takes a second. */
  readonly cacheDir?: string | undefined
  readonly signal?: AbortSignal
  /** Starts the rewriting thread. @default in this process */
  readonly startThread?: StartThread | undefined
}

/**
 * Returns the rewritten module of PocketSphinx.
 * @throws EngineFailedError when the module is missing or cannot be rewritten, the signal's reason when it aborts.
 */
export async function prepareModule(options: PrepareModuleOptions = {}): Promise<Uint8Array> {
  const { cacheDir, signal, startThread } = options
  try {
    const source = await readFile(findPackageFiles().wasm)
    const make = (): Promise<Uint8Array> => rewriteInThread(source, { signal, startThread })
    if (cacheDir === undefined) return await make()
    return await cachedBytes(cacheDir, { source, version: REWRITE_VERSION }, make)
  } catch (error) {
    signal?.throwIfAborted()
    throw new EngineFailedError(`PocketSphinx cannot be prepared: ${String(error)}`, { cause: error })
  }
}
