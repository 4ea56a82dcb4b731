// Checks that every public member has a docstring, every type of a signature is exported, and every link of a docstring
// leads somewhere.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeApiReference } from './src/api-reference.ts'

const folder = await mkdtemp(join(tmpdir(), 'svc-audio-api-'))
try {
  await writeApiReference(join(import.meta.dirname, '../..'), folder)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
