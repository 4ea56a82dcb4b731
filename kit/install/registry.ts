import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { freePort, output, type PackedPackage, start } from '../hosts/index.ts'

/** Packages of ours. */
export const OURS = ['@svc-audio/*', 'svc-audio', 'n8n-nodes-svc-audio'] as const

/** The registry program, from npm. */
const VERDACCIO = 'verdaccio@6.10.4'

/** A registry on this machine. */
export interface LocalRegistry extends AsyncDisposable {
  /** Variables that make npm, pnpm, Deno and Bun use it. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Starts an empty registry. It has no packages of ours, and passes on requests for all others.
 * @param folder A new folder for its program and packages.
 * @param ours Names or patterns of packages that it never asks another registry for.
 */
export async function localRegistry(folder: string, ours: readonly string[]): Promise<LocalRegistry> {
  await mkdir(folder, { recursive: true })
  // Verdaccio names this version by a tag, which mirrors of the registry may lack.
  const overrides = { 'node-fetch': '^2.7.0' }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }))
  await output('npm', ['install', '--no-audit', '--no-fund', VERDACCIO], { cwd: folder })
  const upstream = (await output('npm', ['config', 'get', 'registry'], { cwd: folder })).trim()
  const access = { access: '$all', publish: '$all', unpublish: '$all' }
  const packages = Object.fromEntries([
    ...ours.map((pattern) => [pattern, access] as const),
    ['**', { access: '$all', proxy: 'upstream' }] as const,
  ])
  const config = {
    storage: './storage',
    uplinks: { upstream: { url: upstream, timeout: '60s', maxage: '1h' } },
    packages,
    max_body_size: '100mb',
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  }
  // YAML reads JSON.
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(config))
  const port = await freePort()
  const args = ['--config', 'config.yaml', '--listen', `127.0.0.1:${port}`]
  const server = await start(join(folder, 'node_modules/.bin/verdaccio'), args, {
    cwd: folder,
    ready: /http address/,
    timeout: 300_000,
  })
  const url = `http://127.0.0.1:${port}/`
  // npm publishes only with a token; this registry takes any.
  const npmrc = join(folder, 'npmrc')
  await writeFile(npmrc, `registry=${url}\n//127.0.0.1:${port}/:_authToken=local\n`)
  return {
    env: {
      npm_config_registry: url,
      // Deno knows only this name.
      NPM_CONFIG_REGISTRY: url,
      npm_config_userconfig: npmrc,
      NPM_CONFIG_USERCONFIG: npmrc,
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Publishes packed packages, without building them. */
export async function publishTarballs(
  { env }: LocalRegistry,
  packages: ReadonlyMap<string, Pick<PackedPackage, 'tarball'>>,
): Promise<void> {
  for (const { tarball } of packages.values()) {
    await output('npm', ['publish', tarball, '--access', 'public', '--loglevel=error'], { cwd: dirname(tarball), env })
  }
}
