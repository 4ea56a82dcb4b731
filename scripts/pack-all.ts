// Packs the published packages as for the registry, and prints the line that installs each. Arguments limit the lines to
// these packages; `--out` chooses the folder.
import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packageTarballs } from '@svc-audio/kit/hosts'
import { installLine } from '../kit/hosts/install-line.ts'

const root = dirname(import.meta.dirname)
const USAGE = 'Usage: pack:all [--out <folder>] [package …]'

async function packAll(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2).filter((argument) => argument !== '--'),
    options: { out: { type: 'string', default: 'tarballs' } },
    allowPositionals: true,
  })
  const folder = resolve(values.out)
  process.stderr.write('Packing the packages …\n')
  const packages = await packageTarballs(folder)
  const names = positionals.length === 0 ? [...packages.keys()].toSorted() : positionals
  const lines = await Promise.all(
    names.map(async (name) => {
      const source = packages.get(name)?.source ?? ''
      const readme = await readFile(join(root, source, 'README.md'), 'utf8')
      return `\n${name}\n  ${installLine(name, readme, packages)}\n`
    }),
  )
  const sizes = await Promise.all(Array.from(packages.values(), async ({ tarball }) => (await stat(tarball)).size))
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6
  process.stderr.write(
    `${packages.size} packages in ${relative(process.cwd(), folder) || '.'}, ${megabytes.toFixed(1)} MB\n`,
  )
  process.stdout.write(`${lines.join('')}\n`)
  process.stderr.write('Paste a line in your project.\n')
}

try {
  await packAll()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`)
  process.exitCode = 1
}
