import { mkdtemp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** n8n's engine as a module. */
export type N8nCore = typeof import('n8n-core')

/** Where n8n keeps binary fields: in files, which is its default, or in memory, which it calls `default`. */
export type BinaryMode = 'filesystem' | 'default'

/** n8n's engine in this process. */
export interface LoadedN8n {
  readonly core: N8nCore
  /** The folder that it keeps its files in. */
  readonly home: string
  /** Its store of binary fields. */
  readonly binaryData: InstanceType<N8nCore['BinaryDataService']>
}

const require = createRequire(import.meta.url)

/** The package under test. What n8n loads of it is the build. */
export const PACKAGE_FOLDER: string = join(import.meta.dirname, '../..')

/**
 * Loads n8n's engine with a home folder of its own. It reads its settings from the environment while it loads, so that
 * it must not be imported.
 */
export async function loadN8n(mode: BinaryMode): Promise<LoadedN8n> {
  const home = await mkdtemp(join(tmpdir(), 'svc-audio-n8n-'))
  Object.assign(process.env, {
    N8N_USER_FOLDER: home,
    N8N_ENCRYPTION_KEY: 'of-the-tests',
    N8N_DEFAULT_BINARY_DATA_MODE: mode,
    N8N_LOG_LEVEL: 'silent',
  })
  const core: N8nCore = require('n8n-core')
  // The registry of n8n's services is in a package that is n8n-core's, not ours.
  const { Container } = createRequire(require.resolve('n8n-core'))('@n8n/di')
  const binaryData: LoadedN8n['binaryData'] = Container.get(core.BinaryDataService)
  await binaryData.init()
  return { core, home, binaryData }
}
