import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A change of a package that no release has yet. */
interface WaitingChange {
  readonly packages: readonly { readonly name: string; readonly bump: string }[]
  readonly text: string
}

/** Reads a changeset: front matter with the packages, then the text. @throws Error for a file without front matter */
export function readChangeset(file: string): WaitingChange {
  const [, head, text] = /^---\n([^]*?)\n---\n([^]*)$/.exec(file) ?? []
  if (head === undefined || text === undefined) throw new Error('A changeset begins with its packages between ---')
  const packages = Array.from(head.matchAll(/^['"]?(?<name>[^'":\n]+)['"]?: *(?<bump>\w+)$/gm), ({ groups }) => ({
    name: groups?.['name'] ?? '',
    bump: groups?.['bump'] ?? '',
  }))
  return { packages, text: text.trim() }
}

/** One page: what no release has yet by package, then the changelogs of the released packages. */
export function renderChangelog(root: string): string {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const waiting = globSync('.changeset/*.md', { cwd: root })
    .filter((path) => !path.endsWith('README.md'))
    .toSorted()
    .map((path) => readChangeset(read(path)))
  const folders = globSync('{apps,engines,kit,packages}/*/package.json', { cwd: root }).toSorted()
  const parts = folders.flatMap((path) => {
    const { name, private: hidden }: { readonly name: string; readonly private?: boolean } = JSON.parse(read(path))
    if (hidden === true) return []
    const changelog = path.replace('package.json', 'CHANGELOG.md')
    const released = existsSync(join(root, changelog)) ? read(changelog).replace(/^# .*\n/, '') : ''
    const body = `${renderWaiting(name, waiting)}${released}`.trim()
    return body === '' ? [] : [`## ${name}\n\n${body}\n`]
  })
  return `# Changelog\n\nEvery change of a package, for its users. [Versions and what we promise](/releases) says what a version number means.\n\n${parts.join('\n')}`
}

/** A change that names several packages stands at the first of them, so that it is read once. */
function renderWaiting(name: string, waiting: readonly WaitingChange[]): string {
  const own = waiting.filter(({ packages }) => packages[0]?.name === name)
  if (own.length === 0) return ''
  const items = own.map(({ packages, text }) => {
    const others = packages.slice(1).map((one) => `\`${one.name}\``)
    const also = others.length === 0 ? '' : ` (also ${others.join(', ')})`
    return `- ${text.replaceAll('\n', '\n  ')}${also}`
  })
  return `### Next release\n\n${items.join('\n')}\n\n`
}
