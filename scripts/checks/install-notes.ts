// Checks that each README of a published package says whether the package is published. `--write` corrects them.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/**
 * Whether the packages can be installed from the registry: the first release gives them a version, and so removes the note
 * from every README.
 */
function isPublished(): boolean {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(join(ROOT, 'packages/core/package.json'), 'utf8'),
  )
  return version !== '0.0.0'
}

const BEGIN = '<!-- unpublished -->'
const END = '<!-- /unpublished -->'
const NOTE = /\n*<!-- unpublished -->[\s\S]*?<!-- \/unpublished -->\n*/

/**
 * Puts the note about packages that are not published into a README, or removes it. The note stands behind the first
 * command that installs the package, and where there is none, behind the first paragraph.
 * @param name Name of the package.
 */
export function withInstallNote(readme: string, name: string, published: boolean): string {
  const without = readme.replace(NOTE, '\n\n')
  if (published) return without
  const at = placeOf(without)
  return `${without.slice(0, at)}\n\n${noteOf(name)}\n\n${without.slice(at).trimStart()}`
}

/** Whether a page has a note about packages that are not published. */
export function hasInstallNote(page: string): boolean {
  return NOTE.test(page)
}

/** A page without its notes about packages that are not published. */
export function withoutInstallNotes(page: string): string {
  return page.replaceAll(new RegExp(NOTE, 'g'), '\n\n')
}

function noteOf(name: string): string {
  const command = `npx -y pnpm@12 pack:all ${name}`
  return `${BEGIN}\n\n> The package is not published yet. In a clone of this repository, \`${command}\` packs it and prints the \`npm install\` line for your project.\n\n${END}`
}

/** End of the first `sh` block that installs, or of the first paragraph behind the title. */
function placeOf(readme: string): number {
  const installs = /^```sh\n(?:(?!```)[^\n]*\n)*?[^\n]*(?:npm install|npx @svc-audio)[^\n]*\n(?:(?!```)[^\n]*\n)*```/m
  const block = installs.exec(readme)
  if (block !== null) return block.index + block[0].length
  const paragraph = /^# [^\n]+\n\n[^\n]+(?=\n)/.exec(readme)
  return paragraph === null ? readme.length : paragraph[0].length
}

if (import.meta.main) {
  const PUBLISHED = isPublished()
  const root = ROOT
  const write = process.argv.includes('--write')

  /** Pages besides the READMEs of packages. They write their own notes. */
  const PAGES = ['README.md', 'docs/start/README.md', 'docs/releases.md']

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
      const fault = PUBLISHED
        ? 'says that the package is not published'
        : 'does not say how to install the package today'
      console.error(`${page} ${fault}: run node scripts/checks/install-notes.ts --write`)
      process.exitCode = 1
    }
  }
}
