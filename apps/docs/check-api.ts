// Checks that every public member has a docstring, every type of a signature is exported, and every link of a docstring
// leads somewhere.
import { join } from 'node:path'
import { checkDocstrings } from './src/api-reference.ts'

try {
  await checkDocstrings(join(import.meta.dirname, '../..'))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
