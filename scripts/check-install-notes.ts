// Checks that each README of a published package says whether the package is published. `--write` corrects them.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasInstallNote, PUBLISHED, withInstallNote, withoutInstallNotes } from './install-note.ts'

const root = dirname(import.meta.dirname)
const write = process.argv.includes('--write')

/** Pages besides the READMEs of packages. They write their own notes. */
const PAGES = ['README.md', 'docs/start/README.md']

for (const page of PAGES) {
  const text = readFileSync(join(root, page), 'utf8')
  const wanted = PUBLISHED ? withoutInstallNotes(text) : text
  if (PUBLISHED ? text === wanted : hasInstallNote(text)) continue
  if (write && PUBLISHED) writeFileSync(join(root, page), wanted)
  else {
    console.error(
      `${page} ${PUBLISHED ? 'has a note about packages that are not published' : 'has no note in <!-- unpublished -->'}`,
    )
    process.exitCode = 1
  }
}

for (const path of globSync('{apps,engines,kit,packages}/*/package.json', { cwd: root }).toSorted()) {
  const manifest: { readonly name: string; readonly private?: boolean } = JSON.parse(
    readFileSync(join(root, path), 'utf8'),
  )
  if (manifest.private === true) continue
  const page = join(dirname(path), 'README.md')
  const readme = readFileSync(join(root, page), 'utf8')
  const wanted = withInstallNote(readme, manifest.name, PUBLISHED)
  if (readme === wanted) continue
  if (write) writeFileSync(join(root, page), wanted)
  else {
    const fault = PUBLISHED ? 'says that the package is not published' : 'does not say how to install the package today'
    console.error(`${page} ${fault}: run node scripts/check-install-notes.ts --write`)
    process.exitCode = 1
  }
}
