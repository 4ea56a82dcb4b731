import { cp, mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { output } from '@svc-audio/kit/hosts'
import { exists, LATEST } from './n8n-home.ts'

/** The official command-line tool for packages of nodes. */
const NODE_CLI = '@n8n/node-cli'
const VERSION = '0.48.3'

const PACKAGE_FOLDER = join(import.meta.dirname, '..')

/** What the tool lints: everything that the published package is made of. */
const SOURCES = ['package.json', 'README.md', 'nodes', 'credentials', 'icons']

/**
 * `n8n-node lint` of n8n's own command-line tool, in its strict mode, on the sources of the package.
 * @param folder Made for it.
 */
export async function checkLint(folder: string, print: (line: string) => void): Promise<string[]> {
  const cli = await installCli(print)
  await mkdir(folder, { recursive: true })
  for (const name of SOURCES) await cp(join(PACKAGE_FOLDER, name), join(folder, name), { recursive: true })
  const template = join(cli, NODE_CLI, 'dist/template/templates/shared/default/eslint.config.mjs')
  await cp(template, join(folder, 'eslint.config.mjs'))
  const { resolve } = createRequire(import.meta.url)
  await link(folder, '.bin', join(cli, '.bin'))
  await link(folder, NODE_CLI, join(cli, NODE_CLI))
  await link(folder, '@svc-audio/core', join(PACKAGE_FOLDER, 'node_modules/@svc-audio/core'))
  await link(folder, 'n8n-workflow', join(dirname(resolve('n8n-workflow/package.json'))))
  const env = { npm_config_user_agent: 'npm' }
  await output(join(cli, '.bin/n8n-node'), ['lint'], { cwd: folder, env, timeout: 0 })
  return [`lint: n8n-node lint of ${NODE_CLI} ${VERSION} finds nothing`]
}

async function link(folder: string, name: string, target: string): Promise<void> {
  const path = join(folder, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(await realpath(target), path)
}

/** @returns The folder of the modules of the tool. */
async function installCli(print: (line: string) => void): Promise<string> {
  const cache = join(tmpdir(), `svc-audio-n8n-node-cli-${VERSION}`)
  const complete = join(cache, 'complete')
  if (!(await exists(complete))) {
    print(`installing ${NODE_CLI} ${VERSION} in ${cache}`)
    await mkdir(cache, { recursive: true })
    await writeFile(join(cache, 'package.json'), '{ "private": true }')
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', `--before=${LATEST}`]
    await output('npm', ['install', `${NODE_CLI}@${VERSION}`, ...options], { cwd: cache, timeout: 0 })
    await writeFile(complete, '')
  }
  return join(cache, 'node_modules')
}
