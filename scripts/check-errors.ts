// Compares docs/errors.md with the codes of the service, of uploads and of agent tools. `--write` writes the page.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderErrors } from './errors/render-errors.ts'

const PAGE = join(import.meta.dirname, '../docs/errors.md')

const page = renderErrors()
if (process.argv.includes('--write')) writeFileSync(PAGE, page)
else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('docs/errors.md is out of date: run node scripts/check-errors.ts --write')
  process.exitCode = 1
}
