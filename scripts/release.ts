// Publishes every package whose version the registry does not have, and tags the versions. A package with a workflow of its
// own is only tagged. Build first.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type PublishPlan, tagOwnWorkflows } from './release/publish-plan.ts'

const root = dirname(import.meta.dirname)
const folder = mkdtempSync(join(tmpdir(), 'svc-audio-publish-'))
const path = join(folder, 'plan.json')
try {
  changeset('publish-plan', '--output', path)
  const written: PublishPlan = JSON.parse(readFileSync(path, 'utf8'))
  const plan = tagOwnWorkflows(written)
  writeFileSync(path, JSON.stringify(plan))
  for (const { kind, name, version } of plan.plan.flat()) console.log(`${kind} ${name} ${version}`)
  changeset('pack', '--from-publish-plan', path, '--out-dir', folder)
  changeset('publish', '--from-pack-dir', folder)
} finally {
  rmSync(folder, { recursive: true })
}

/** @throws Error when it fails; it has printed why */
function changeset(...args: readonly string[]): void {
  const { status } = spawnSync('changeset', args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error(`changeset ${args[0]} failed`)
}
