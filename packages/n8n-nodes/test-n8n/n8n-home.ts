import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, output } from '@svc-audio/kit/hosts'
import type { InstalledN8n } from './install-n8n.ts'
import { parseRun, type WorkflowRun } from './workflow-run.ts'

/** n8n with a folder of its own: database, installed packages, files. */
export interface N8nHome {
  /** Where a community package is installed. */
  packageFolder(name: string): string
  importCredentials(entry: object): Promise<void>
  importWorkflow(workflow: object): Promise<void>
  /** Runs a workflow to its end. @throws Error when it fails */
  execute(id: string): Promise<WorkflowRun>
  /** The bytes of a binary field, by the id that a run gave it. */
  readBinary(id: string): Promise<Buffer>
}

/** Nothing of n8n that would ask the internet, and no interface. */
const SETTINGS = {
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  N8N_PERSONALIZATION_ENABLED: 'false',
  N8N_VERIFIED_PACKAGES_ENABLED: 'false',
  N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
  N8N_DYNAMIC_BANNERS_ENABLED: 'false',
  N8N_LISTEN_ADDRESS: '127.0.0.1',
  N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
  N8N_ENCRYPTION_KEY: 'an-encryption-key-for-this-test',
  // the result of a run is written to the log
  N8N_LOG_LEVEL: 'info',
}

/** Settings of an n8n with a folder of its own. */
export function settingsFor({ disabledModules }: InstalledN8n, folder: string): Record<string, string> {
  return { ...SETTINGS, N8N_DISABLED_MODULES: disabledModules, N8N_USER_FOLDER: folder }
}

/**
 * A port for the broker of one process of n8n, which its runners of code connect to. With port 0 they look for it in vain
 * and start again and again.
 */
export async function brokerPort(): Promise<Record<string, string>> {
  return { N8N_RUNNERS_BROKER_PORT: String(await freePort()) }
}

/** @param folder Made for it. */
export async function n8nHome(installed: InstalledN8n, folder: string): Promise<N8nHome> {
  await mkdir(folder, { recursive: true })
  const { program, node } = installed
  const env = settingsFor(installed, folder)
  const n8n = async (...args: string[]): Promise<string> =>
    output(node, [program, ...args], { cwd: folder, env: { ...env, ...(await brokerPort()) } })
  const importFile = async (kind: string, content: unknown): Promise<void> => {
    const file = join(folder, `${kind}.json`)
    await writeFile(file, JSON.stringify(content), { mode: 0o600 })
    await n8n(`import:${kind}`, `--input=${file}`)
  }
  return {
    packageFolder: (name) => join(folder, '.n8n/nodes/node_modules', name),
    importCredentials: (entry) => importFile('credentials', [entry]),
    importWorkflow: (workflow) => importFile('workflow', [workflow]),
    execute: async (id) => parseRun(await n8n('execute', `--id=${id}`, '--rawOutput')),
    readBinary(id) {
      const file = id.replace(/^filesystem-v2:/, '')
      // the second is the folder of older releases
      return readFile(join(folder, '.n8n/storage', file)).catch(() => readFile(join(folder, '.n8n/binaryData', file)))
    },
  }
}
