// Rehearses a release: a clone of HEAD turns its changesets into versions and changelogs, publishes every package to a
// registry on this machine and announces it to a program in the place of gh, and a new project installs the packages from
// there on each supported Node.
import { deepEqual } from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { nodeBinary, output } from '@svc-audio/hosts'
import { PEERS, PROGRAM } from './install/program.ts'
import { billOf } from './release/announcement.ts'
import { localRegistry, type LocalRegistry, OURS } from './release/local-registry.ts'
import { OWN_WORKFLOWS } from './release/publish-plan.ts'

const root = dirname(import.meta.dirname)
const NODES = [22, 24, 26] as const

/** A program in the place of gh. It knows no release, and notes what it is asked for, with the size of attached files. */
const GH = `#!/bin/sh
[ "$1 $2" = 'release view' ] && exit 1
[ "$1 $2" = 'release create' ] && { cat | grep -q . && [ -s "$4" ] || exit 1; }
echo "$1 $2 $3 $4 $5" >> "$GH_CALLS"
`

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const folder = await mkdtemp(join(tmpdir(), 'svc-audio-release-'))
try {
  console.log('starting a registry …')
  await using registry = await localRegistry(join(folder, 'registry'), OURS)
  const clone = join(folder, 'clone')
  await version(clone)
  await publish(clone, registry)
  const released = await manifests(clone)
  for (const { name, version: number } of released) console.log(`  ${name} ${number}`)
  await announce(clone, released)
  for (const major of NODES) console.log(`Node ${major}: ${await tryOn(major, released, registry)}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Clones, and writes versions and changelogs. */
async function version(clone: string): Promise<void> {
  console.log('writing versions and changelogs …')
  await output('git', ['clone', '--quiet', '--shared', root, clone], { cwd: folder })
  await output('npx', ['-y', 'pnpm@12', 'install', '--prefer-offline'], { cwd: clone, env: { CI: '1' } })
  await output('npx', ['-y', 'pnpm@12', 'changeset', 'version'], { cwd: clone })
  await output('npx', ['-y', 'pnpm@12', 'install', '--no-frozen-lockfile', '--prefer-offline'], { cwd: clone })
  const identity = ['-c', 'user.name=release', '-c', 'user.email=release@localhost']
  await output('git', ['add', '--all'], { cwd: clone })
  await output('git', [...identity, 'commit', '--quiet', '--no-verify', '-m', 'Release'], { cwd: clone })
}

async function publish(clone: string, { env }: LocalRegistry): Promise<void> {
  console.log('building and publishing …')
  const git = { GIT_AUTHOR_NAME: 'release', GIT_AUTHOR_EMAIL: 'release@localhost' }
  const committer = { GIT_COMMITTER_NAME: 'release', GIT_COMMITTER_EMAIL: 'release@localhost' }
  const options = { cwd: clone, env: { ...env, ...git, ...committer, CI: '1' } }
  await output('npx', ['-y', 'pnpm@12', 'release'], options)
  // As their workflows do, but without provenance, which needs the workflow.
  for (const name of OWN_WORKFLOWS.keys()) {
    const args = ['--filter', name, 'publish', '--access', 'public', '--no-git-checks']
    await output('npx', ['-y', 'pnpm@12', ...args], options)
  }
}

/** @throws AssertionError unless each package is announced with its bill of materials, and the other workflows start */
async function announce(clone: string, released: readonly Manifest[]): Promise<void> {
  console.log('announcing …')
  const bin = join(folder, 'bin')
  const calls = join(folder, 'gh.log')
  await mkdir(bin)
  await writeFile(join(bin, 'gh'), GH, { mode: 0o755 })
  await output('npx', ['-y', 'pnpm@12', 'sbom:all'], { cwd: clone })
  const command = 'PATH="$BIN:$PATH" npx -y pnpm@12 release:announce'
  await output('sh', ['-c', command], { cwd: clone, env: { BIN: bin, GH_CALLS: calls } })
  const tags = released.map(({ name, version: number }) => [name, `${name}@${number}`] as const)
  const announced = tags.map(([name, tag]) => `release create ${tag} sbom/${billOf(name)} --verify-tag`)
  const started = ['image.yml --ref @svc-audio/service', 'publish.yml --ref n8n-nodes-svc-audio'].map(
    (one) => `workflow run ${one}@${released.find(({ name }) => one.endsWith(` ${name}`))?.version}`,
  )
  const noted = (await readFile(calls, 'utf8')).trim().split('\n')
  deepEqual(noted.toSorted(), [...announced, ...started].toSorted())
}

async function manifests(clone: string): Promise<readonly Manifest[]> {
  const paths = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: clone }).toSorted()
  const all = await Promise.all(
    paths.map(async (path): Promise<Manifest> => JSON.parse(await readFile(join(clone, path), 'utf8'))),
  )
  return all.filter((manifest) => manifest.private !== true)
}

/** Installs everything from the registry, as a user of this Node. @returns what the program heard */
async function tryOn(
  major: (typeof NODES)[number],
  released: readonly Manifest[],
  { env }: LocalRegistry,
): Promise<string> {
  const project = join(folder, `node-${major}`)
  await mkdir(project)
  const peers = Object.assign({}, ...released.map(({ peerDependencies = {} }) => peerDependencies))
  const ours = Object.fromEntries(released.map(({ name, version: number }) => [name, number]))
  const dependencies = { ...peers, ...PEERS, ...ours }
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  await writeFile(join(project, 'main.js'), PROGRAM)
  const node = await nodeBinary(major)
  const install = ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await output('npm', install, { cwd: project, env, node })
  return (await output(node, ['main.js'], { cwd: project, node })).trim()
}
