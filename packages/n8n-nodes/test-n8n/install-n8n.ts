import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { output } from '@svc-audio/hosts'

/** The n8n that the package is tried in. */
export const N8N_VERSION = '2.41.1'

/** Newer releases of what n8n depends on are not asked for, so that a later install is the same one. */
const BEFORE = '2026-09-28'

/**
 * Installs n8n, unless it is there already.
 *
 * @param cache Folder that keeps it.
 * @returns The program.
 */
export async function installN8n(cache: string, print: (line: string) => void): Promise<string> {
  if (Number(process.versions.node.split('.', 1)[0]) < 24) throw new Error(`n8n ${N8N_VERSION} needs Node 24 or later`)
  const program = join(cache, 'node_modules/.bin/n8n')
  const complete = join(cache, 'complete')
  if (await exists(complete)) {
    print(`n8n ${N8N_VERSION} is in ${cache}`)
    return program
  }
  print(`installing n8n ${N8N_VERSION} in ${cache}: 2.7 GB, some minutes`)
  await mkdir(cache, { recursive: true })
  await writeFile(join(cache, 'package.json'), '{ "private": true }\n')
  // Some packages fetch programs from elsewhere when they are installed; none of those is needed here.
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', `--before=${BEFORE}`]
  await output('npm', ['install', `n8n@${N8N_VERSION}`, ...options], { cwd: cache, timeout: 0 })
  print('building its database driver: about a minute, with a C++ compiler and Python')
  await output('npm', ['rebuild', 'sqlite3', '--foreground-scripts'], { cwd: cache, timeout: 0 })
  await writeFile(complete, '')
  return program
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
