// Publishes a release on GitHub for each version that HEAD is tagged with: what its changelog says, and its bill of
// materials. Then starts the workflows that begin with a release. Run `sbom:all` first, and push the tags. A second run
// does what the first one left.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { billOf, notesOf, releasesOf, startOf } from './release/announcement.ts'

const root = dirname(import.meta.dirname)
const folders = new Map(
  globSync('{apps,engines,kit,packages}/*/package.json', { cwd: root }).map((path) => {
    const { name }: { readonly name: string } = JSON.parse(readFileSync(join(root, path), 'utf8'))
    return [name, join(root, dirname(path))] as const
  }),
)
const tags = execFileSync('git', ['tag', '--points-at', 'HEAD'], { cwd: root, encoding: 'utf8' }).split('\n')

for (const release of releasesOf(tags)) {
  const { tag, name } = release
  if (spawnSync('gh', ['release', 'view', tag], { cwd: root }).status === 0) {
    console.log(`${tag} has a release`)
    continue
  }
  const notes = notesOf(readFileSync(join(folders.get(name) ?? '', 'CHANGELOG.md'), 'utf8'), release)
  const bill = join('sbom', billOf(name))
  gh(['release', 'create', tag, bill, '--verify-tag', '--title', tag, '--notes-file', '-'], notes)
  const start = startOf(release)
  if (start !== undefined) gh(start)
}

/** @throws Error when it fails; it has printed why */
function gh(args: readonly string[], input = ''): void {
  execFileSync('gh', args, { cwd: root, input, stdio: ['pipe', 'inherit', 'inherit'] })
}
