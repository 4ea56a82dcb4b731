// Compares the table of docs/releases.md with what an install of each published package brings, and the service with its
// limits. `--write` writes the table. Build first.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installSize } from './sizes/install-size.ts'
import { findWrongSizes, renderSizes, type SizeRow } from './sizes/size-table.ts'

const root = dirname(import.meta.dirname)
const PAGE = join(root, 'docs/releases.md')
const TABLE = /(?<=<!-- sizes -->\n\n)[^]*?(?=\n\n<!-- \/sizes -->)/
const SERVICE = '@svc-audio/service'
const MEBI = 1024 * 1024

/** Limits of the service, in MiB. */
const LIMITS = { whole: 170, lean: 50 } as const

/** A build removes no files of an older one. */
const LEFTOVERS =
  "The sizes are those of dist in each package, with files that an older build left there. If the difference is not yours: run git clean -fdXq '*/*/dist', then npx -y pnpm@12 build --force, and check again"

const rows = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: root })
  .toSorted()
  .flatMap((path): readonly SizeRow[] => {
    const folder = join(root, dirname(path))
    const { name, private: hidden }: { readonly name: string; readonly private?: boolean } = JSON.parse(
      readFileSync(join(root, path), 'utf8'),
    )
    if (hidden === true) return []
    const whole = installSize(folder, true)
    if (name !== SERVICE) return [whole]
    return [
      { ...whole, note: 'with the bundled engines' },
      { ...installSize(folder, false), note: 'with `--omit=optional`' },
    ]
  })

const measured = renderSizes(rows)
const page = readFileSync(PAGE, 'utf8')
const written = TABLE.exec(page)?.[0] ?? ''
const [whole, lean] = rows.filter(({ name }) => name === SERVICE)
const tooLarge = [
  ...((whole?.bytes ?? 0) > LIMITS.whole * MEBI ? [`${SERVICE} takes over ${LIMITS.whole} MiB`] : []),
  ...((lean?.bytes ?? 0) > LIMITS.lean * MEBI ? [`${SERVICE} without engines takes over ${LIMITS.lean} MiB`] : []),
]
const faults = process.argv.includes('--write') ? [] : findWrongSizes(written, measured)
if (process.argv.includes('--write')) writeFileSync(PAGE, page.replace(TABLE, measured))
for (const fault of [...faults, ...tooLarge]) console.error(fault)
if (faults.length > 0) console.error('docs/releases.md is out of date: run node scripts/check-sizes.ts --write')
if (faults.length + tooLarge.length > 0) console.error(LEFTOVERS)
console.log(`${rows.length} installs`)
process.exitCode = faults.length + tooLarge.length === 0 ? 0 : 1
