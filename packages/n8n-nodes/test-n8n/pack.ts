import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { output, packageTarballs } from '@svc-audio/kit/hosts'
import { type LocalServer, startLocalServer } from './local-server.ts'

const NAME = 'n8n-nodes-svc-audio'

/**
 * Packs the built package as for publishing, and unpacks it.
 * @param folder Created if missing. Holds the package's files afterwards.
 */
export async function packInto(folder: string): Promise<void> {
  await output('tar', ['-xzf', await packTarball(folder), '--strip-components=1'], { cwd: folder })
}

/** The package as it would be published. */
export interface Packed {
  /** Path of the tarball. */
  readonly tarball: string
  /** Its package.json. */
  readonly manifest: object
}

/**
 * Packs the built package as for publishing.
 * @param folder Created if missing.
 */
export async function pack(folder: string): Promise<Packed> {
  const tarball = await packTarball(folder)
  const manifest: object = JSON.parse(await output('tar', ['-xzOf', tarball, 'package/package.json'], { cwd: folder }))
  return { tarball, manifest }
}

async function packTarball(folder: string): Promise<string> {
  const packages = await packageTarballs(folder, [NAME])
  const tarball = packages.get(NAME)?.tarball
  if (tarball === undefined) throw new Error(`${NAME} is not a published package of this repository`)
  return tarball
}

/**
 * Serves a packed package as `npm` wants it.
 * @param tarball What `pnpm pack` made.
 */
export async function startRegistry(tarball: string, name: string, manifest: object): Promise<LocalServer> {
  const bytes = await readFile(tarball)
  const { version } = { version: '0.0.0', ...manifest }
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const file = `/${name}/-/${basename(tarball)}`
  return startLocalServer((request, response, url) => {
    if (request.url === file) {
      response.setHeader('content-type', 'application/octet-stream')
      response.end(bytes)
      return
    }
    response.statusCode = request.url?.startsWith(`/${name}`) === true ? 200 : 404
    response.setHeader('content-type', 'application/json')
    const packed = { ...manifest, name, version, dist: { tarball: url + file, integrity } }
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: packed } }))
  })
}

/**
 * An `npm` that asks this registry, for the search path of n8n. n8n names the public registry on the command line, and
 * another one in its settings needs a licence.
 * @returns The folder that it is in.
 */
export async function npmFor(registry: LocalServer, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const script = [
    '#!/bin/sh',
    'for argument do',
    '  shift',
    '  case "$argument" in --registry=*) ;; *) set -- "$@" "$argument" ;; esac',
    'done',
    // the rest of the search path has the real one
    'PATH="${PATH#*:}"',
    `exec npm "$@" "--registry=${registry.url}"`,
    '',
  ]
  const file = join(folder, 'npm')
  await writeFile(file, script.join('\n'))
  await chmod(file, 0o755)
  return folder
}
