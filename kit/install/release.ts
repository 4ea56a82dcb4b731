// Rehearses a release: a clone of HEAD turns its changesets into versions and changelogs, publishes every package to a
// registry on this machine, and a new project installs the packages from there on each supported Node.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeBinary, output } from '../hosts/index.ts'
import { runInstalled } from './program.ts'
import { localRegistry, type LocalRegistry, OURS } from './registry.ts'

const root = join(import.meta.dirname, '../..')
const NODES = [22, 24, 26] as const

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
  await output('npx', ['-y', 'pnpm@12', 'build'], options)
  // As the workflow does, but without provenance, which needs the workflow.
  await output('npx', ['-y', 'pnpm@12', 'changeset', 'publish'], options)
}

async function manifests(clone: string): Promise<readonly Manifest[]> {
  const paths = globSync('{apps,engines,packages}/*/package.json', { cwd: clone }).toSorted()
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
  const peers = Object.assign({}, ...released.map(({ peerDependencies = {} }) => peerDependencies))
  const ours = Object.fromEntries(released.map(({ name, version: number }) => [name, number]))
  return runInstalled(join(folder, `node-${major}`), { ours, peers, env, node: await nodeBinary(major) })
}
